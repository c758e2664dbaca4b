import { Clock, Effect, Layer } from "effect"
import { IntentPreprocessing } from "../../src/Agent/IntentPreprocessing.ts"
import { type ContextFacts, PromptContext } from "../../src/Agent/PromptContext.ts"
import { type PromptTime, promptTime } from "../../src/Agent/PromptTime.ts"
import { Directory } from "../../src/People/Directory.ts"

export const contextAt = (now: PromptTime): ContextFacts => ({
  now,
  requester: null,
  team: null,
  persona: null,
  projectContext: null,
  teamContext: null
})

/** Knows only the time. */
export const timeOnly = Layer.succeed(PromptContext, {
  of: () => Effect.map(Clock.currentTimeMillis, (now) => contextAt(promptTime(now, null)))
})

export const noPreprocessing = Layer.succeed(IntentPreprocessing, {
  prepare: () => Effect.succeed(null),
  skillsOf: () => Effect.succeed([])
})

export const emptyDirectory = Layer.succeed(Directory, {
  find: () => Effect.succeed({ requester: null, colleagues: [] })
})
