import { assert, describe, expect, it } from "@effect/vitest"
import type { Step } from "@troupe/domain/Step"
import { Effect, Layer, Option, Schema } from "effect"
import { IntentPreprocessing } from "../../src/Agent/IntentPreprocessing.ts"
import { modelLayer } from "../../src/Model/LanguageModels.ts"
import type { ModelSettings } from "../../src/Model/ModelSettings.ts"
import { bodyOf, scriptedHttp } from "../support/ScriptedHttp.ts"
import { call } from "../support/ScriptedModel.ts"
import { id, type LoopOptions, makeLoop, skill } from "./loop.ts"

// What goes to a provider, byte for byte, in some situations. After a change that is meant, write the files anew with
//   node_modules/.bin/vitest run --config .config/vitest.config.ts -u test/Agent/GoldenRequests.test.ts
// and read the difference before you commit it.

type Situation = Partial<Omit<LoopOptions, "turns" | "model">>

const asked = (...calls: ReadonlyArray<readonly [id: string, text: string]>): Step => ({
  kind: "model",
  message: {
    role: "assistant",
    content: "Looking it up.",
    tool_calls: calls.map(([id, text]) => call(id, "echo", { text }))
  },
  tokens: [10, 5],
  millis: 1
})

const answered = (...results: ReadonlyArray<readonly [id: string, content: string]>): Step => ({
  kind: "results",
  results: results.map(([of, content]) => ({
    message: { role: "tool", tool_call_id: id(of), name: "echo", content },
    millis: 1
  }))
})

const round = (number: number): ReadonlyArray<Step> => [
  asked([`call${number}`, `question ${number}`]),
  answered([`call${number}`, `result ${number}`])
]

const situations = {
  "all-layers": {
    settings: { additionalInstructions: "Never seen: the persona overrules it." },
    task: { tokenBudget: 20_000, limits: { soft: 2, hard: 10, recursion: 25 } },
    journal: [
      {
        kind: "prepared",
        skills: [{ name: skill.name, score: 0.7 }],
        memories: [{ content: "Prefers tables.", date: "2026-01-01", score: 0.5 }],
        millis: 1
      },
      ...round(1),
      ...round(2)
    ],
    preparation: Layer.succeed(IntentPreprocessing, {
      prepare: () => Effect.succeed(null),
      skillsOf: (prepared) => Effect.succeed(prepared === null ? [] : [skill])
    }),
    context: {
      requester: "<requester>\nName: Alice Ample\n</requester>",
      team: "<colleagues>\n- Eve: listens\n</colleagues>",
      persona: {
        name: "Ada",
        role: "the team's reviewer",
        specialization: "code reviews",
        tone: "dry",
        instructions: "Always name the file and the line."
      },
      projectContext: "The task belongs to this project:\n\n<project>\nName: apollo\n</project>",
      teamContext: "<team>\n- Bob (pilot): lands\n</team>"
    }
  },
  "compaction": {
    settings: { compaction: { threshold: 4, maxRecent: 2, contextTokens: 100_000 } },
    journal: [...round(1), ...round(2)]
  },
  "parallel-batch": {
    journal: [
      asked(["call1", "a"], ["call2", "b"], ["call3", "c"]),
      answered(["call3", "third"], ["call1", "first"]),
      answered(["call2", "Error: second failed"])
    ]
  }
} satisfies Readonly<Record<string, Situation>>

const provider = (dialect: "responses" | "chat"): ModelSettings => ({
  temperature: 1,
  provider: {
    _tag: dialect === "responses" ? "openai" : "local",
    baseUrl: "http://provider.test/v1",
    apiKey: Option.none(),
    model: "golden",
    embeddingModel: "golden"
  }
})

/** A provider that says the same to everything, and the bodies that it was sent. */
const recording = (dialect: "responses" | "chat") => {
  const bodies: Array<string> = []
  const text = "What the model says."
  const reply = dialect === "responses"
    ? { status: "completed", output: [{ type: "message", content: text }] }
    : { choices: [{ message: { content: text }, finish_reason: "stop" }] }
  const http = scriptedHttp((request) => {
    bodies.push(bodyOf(request))
    return { status: 200, body: JSON.stringify(reply) }
  })
  return { bodies, model: modelLayer(provider(dialect)).pipe(Layer.provide(http)) }
}

const parse = Schema.decodeUnknownSync(Schema.parseJson())

describe("The requests to a provider", () => {
  it.effect.each(
    [
      ["all-layers", "responses"],
      ["compaction", "responses"],
      ["parallel-batch", "responses"],
      ["parallel-batch", "chat"]
    ] as const
  )("are those of golden/%s.%s.json", ([name, dialect]) =>
    Effect.gen(function*() {
      const { bodies, model } = recording(dialect)
      yield* makeLoop({ turns: [], model, ...situations[name] }).run
      // Nothing is lost by laying them out: printed closely, they are the bytes that were sent.
      for (const body of bodies) assert.strictEqual(JSON.stringify(parse(body)), body)
      const found = `${JSON.stringify(bodies.map((body) => parse(body)), null, 2)}\n`
      yield* Effect.promise(() => expect(found).toMatchFileSnapshot(`golden/${name}.${dialect}.json`))
    }))
})
