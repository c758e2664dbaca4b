import {
  noRequirements,
  type SkillInvalid,
  SkillModelUnavailable,
  SkillName,
  type SkillNameTaken,
  SkillNotGenerated,
  type SkillsUnwritable,
  type SkillText
} from "@troupe/domain/Skill"
import { Clock, Context, Effect, Either, Layer, Schema } from "effect"
import { join } from "node:path"
import { Model, type ModelRequest } from "../Model/Model.ts"
import { Settings } from "../Runtime/Settings.ts"
import type { Skill } from "./Skill.ts"
import { blank, parse, print } from "./SkillFile.ts"
import { reserved, Skills } from "./Skills.ts"

export interface Generated {
  readonly skill: Skill
  readonly saved: boolean
}

/** Has the language model write skills. */
export class SkillGeneration extends Context.Tag("troupe/Skill/SkillGeneration")<SkillGeneration, {
  /**
   * A valid skill under a name that no other has, saved if wanted. What the model writes first and can't be read is
   * sent back once. It comes without scripts, so it requires nothing.
   */
  readonly generate: (
    description: string,
    save: boolean
  ) => Effect.Effect<Generated, SkillModelUnavailable | SkillNotGenerated | SkillNameTaken | SkillsUnwritable>
}>() {
  static readonly layer: Layer.Layer<SkillGeneration, never, Skills | Model | Settings> = Layer.effect(
    this,
    Effect.gen(function*() {
      const skills = yield* Skills
      const model = yield* Model
      const { skills: { path } } = yield* Settings

      const ask = (request: ModelRequest) =>
        model.generate(request).pipe(
          Effect.timeoutFail({
            duration: patience,
            onTimeout: () => new SkillModelUnavailable({ reason: `The language model took more than ${patience}.` })
          }),
          Effect.mapError(({ message }) => new SkillModelUnavailable({ reason: message })),
          Effect.map(({ message }) => message.content)
        )

      const written = Effect.fnUntraced(function*(description: string) {
        const request = requestFor(description)
        const first = yield* ask(request)
        const skill = read(first)
        if (Either.isRight(skill)) return skill.right
        const second = yield* ask({
          ...request,
          messages: [
            ...request.messages,
            { role: "assistant", content: first, tool_calls: [] },
            { role: "user", content: `This can't be read: ${skill.left}. Answer with the whole mended file alone.` }
          ]
        })
        return yield* Either.mapLeft(read(second), (reason) => new SkillNotGenerated({ reason }))
      })

      return SkillGeneration.of({
        generate: Effect.fn("SkillGeneration.generate")(function*(description: string, save: boolean) {
          const text = yield* written(description)
          const taken = new Set([reserved, ...(yield* skills.list).map(({ name }): string => name)])
          const named: SkillText = { ...text, name: freeName(text.name, taken), requirements: noRequirements }
          if (!save) return { skill: proposal(named, path, yield* Clock.currentTimeMillis), saved: false }
          const saved = yield* skills.create(named).pipe(Effect.catchTag("SkillInvalid", unreadable))
          return { skill: saved, saved: true }
        })
      })
    })
  )
}

const patience = "2 minutes"

const unreadable = ({ reason }: SkillInvalid) => new SkillNotGenerated({ reason })

const proposal = (text: SkillText, root: string, now: number): Skill => ({
  ...text,
  source: "custom",
  folder: join(root, text.name),
  scripts: [],
  createdAt: now,
  updatedAt: now
})

const system =
  `You write skills for an agent: SKILL.md files that are added to its system prompt when they fit a request.
Answer with the file alone, no code fence around it and nothing before or after it. It looks like this:

---
name: weekly-report
description: What the skill does and when to use it, in one to three sentences.
tags: [weekly report, numbers of the week]
---

# A title

What to do, step by step, in Markdown: what to look at first, what the result must contain, what to avoid and when to
ask the user.

The name is kebab-case, 64 characters at most. Tags are two to five phrases that only such a request contains.`

const requestFor = (description: string): ModelRequest => ({
  system,
  messages: [{ role: "user", content: `Write the skill that this describes:\n\n${description}` }],
  tools: { tools: [] },
  offline: () => print(offlineSkill(description))
})

/** Models like to put a file into a code fence, or a sentence before it. */
const read = (answer: string): Either.Either<SkillText, string> => {
  const fence = /^```[\w-]*[ \t]*\r?\n(?=---)/m.exec(answer)
  const inside = fence === null ? "" : answer.slice(fence.index + fence[0].length)
  const end = inside.search(/\r?\n```[ \t]*$/m)
  if (end !== -1) return parse(inside.slice(0, end))
  const begin = answer.search(/^---[ \t]*$/m)
  return parse(begin === -1 ? answer : answer.slice(begin))
}

const nameOf = Schema.decodeSync(SkillName)

/** The name, or the first with a number behind it that is free. */
const freeName = (name: SkillName, taken: ReadonlySet<string>): SkillName => {
  let free: string = name
  for (let number = 2; taken.has(free); number++) {
    const end = `-${number}`
    free = name.slice(0, 64 - end.length).replace(/(?<!-)-+$/, "") + end
  }
  return nameOf(free)
}

const dull = new Set("a an and as for from in into it of on or skill that the then this to which with".split(" "))

const offlineSkill = (description: string): SkillText => {
  const words = (description.normalize("NFKD").toLowerCase().match(/[a-z0-9]+/g) ?? []).filter((word) =>
    !dull.has(word) && word.length <= 20
  )
  const text = description.trim().replaceAll("\0", "").slice(0, 1000)
  const instructions = [
    `# ${text.split("\n", 1)[0]?.slice(0, 100) ?? "A skill"}`,
    text,
    "1. Say in a sentence what the result shall be, and ask the user if that is unclear.",
    "2. Gather what is needed, from files first.",
    "3. Do it step by step and check each step.",
    "4. Answer with the result and with what is still open."
  ]
  return blank(nameOf(words.slice(0, 4).join("-").slice(0, 64) || "new-skill"), text, instructions.join("\n\n"))
}
