import type { Prepared } from "@troupe/domain/Step"
import { Duration, Effect, Layer } from "effect"
import { IntentPreprocessing, type PreprocessingOptions } from "../../src/Agent/IntentPreprocessing.ts"
import { Memories } from "../../src/Memory/Memories.ts"
import { Embeddings } from "../../src/Model/Embeddings.ts"
import type { Model } from "../../src/Model/Model.ts"
import { offlineModel } from "../../src/Model/Offline.ts"
import { offlineEmbeddings } from "../../src/Model/OfflineEmbeddings.ts"
import { SkillMatching } from "../../src/Skill/SkillMatching.ts"
import { SkillRequirements } from "../../src/Skill/SkillRequirements.ts"
import { Skills } from "../../src/Skill/Skills.ts"
import type { AgentTool } from "../../src/Tool/AgentTool.ts"
import { makePlace, type Place, skillText } from "../Skill/place.ts"
import { asks, call, says } from "../support/ScriptedModel.ts"
import { echo, makeLoop, task, tool } from "./loop.ts"

export const input = "How do I make a sourdough?"

export const tools = ["ask_human", "read_file", "github__list_issues", "github__create_issue", "mail__send"].map((
  name
) => tool(name, "read", Effect.succeed("ok")))

export interface Given {
  readonly model?: Model["Type"]
  readonly embed?: Embeddings["Type"]["embed"]
  readonly options?: Partial<PreprocessingOptions>
  readonly threshold?: number
  readonly recall?: Memories["Type"]["recall"]
  readonly tools?: ReadonlyArray<AgentTool>
}

/** A preparation over the skills of a place, with a count of the texts that were embedded. */
export const preparing = (place: Place, given: Given = {}) => {
  const embedded: Array<string> = []
  const embed: Embeddings["Type"]["embed"] = (texts) => {
    embedded.push(...texts)
    return (given.embed ?? offlineEmbeddings.embed)(texts)
  }
  const layer = IntentPreprocessing.layer({
    stepTimeout: Duration.minutes(5),
    maxSkills: 3,
    intentPreprocessing: false,
    ...given.options
  }).pipe(
    Layer.provide(SkillMatching.layer({ threshold: given.threshold ?? 0.35, maxSkills: 3 })),
    Layer.provide([
      Layer.scoped(Skills, place.skills)
    ]),
    Layer.provide(SkillRequirements.layer),
    Layer.provide([
      Layer.provide(Embeddings.layerCached, Layer.succeed(Embeddings, { ...offlineEmbeddings, embed })),
      Layer.mock(Memories, { recall: given.recall ?? (() => Effect.succeed({ found: [], leftOut: null })) })
    ])
  )
  // The model of the preparation, whichever the loop has.
  const withModel = Layer.effect(
    IntentPreprocessing,
    Effect.map(IntentPreprocessing, ({ prepare, skillsOf }) => ({
      skillsOf,
      prepare: (task, tools, mayExtract) => prepare(task, tools, mayExtract, given.model ?? offlineModel)
    }))
  ).pipe(Layer.provide(layer))
  return { embedded, layer: withModel }
}

/** A task that calls a tool once and answers. */
export const run = (place: Place, given: Given = {}, journal: ReadonlyArray<Prepared> = []) => {
  const { embedded, layer } = preparing(place, given)
  const loop = makeLoop({
    turns: [asks(call("1", "echo", { text: "hi" })), says("Done.")],
    tools: [echo, ...given.tools ?? tools],
    task: { input },
    preparation: layer,
    journal
  })
  return Effect.as(loop.run, { ...loop, embedded })
}

export const { creator, type } = task

export const stepsAnswer = "1. List the issues of the repository\n2) Send a mail about them\n- Read the file\n"

export const intents = { intentPreprocessing: true }

export const bound = tools.map(({ description, name, parameters }) => ({ name, description, parameters }))

export const givenSkills = Effect.map(makePlace(), (place) => {
  place.put(
    "builtin/bread/SKILL.md",
    skillText("bread", "Bake sourdough bread.", "tags: [sourdough]\nallowed-tools: mail\n")
  )
  place.put(
    "builtin/lacking/SKILL.md",
    skillText("lacking", "Also bread.", "tags: [sourdough]\nrequirements: {bins: [no-such]}\n")
  )
  place.put("builtin/trains/SKILL.md", skillText("trains", "Plan journeys by train."))
  return place
})
