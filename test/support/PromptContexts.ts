import { SkillNotFound } from "@troupe/domain/Skill"
import { Clock, Effect, Layer } from "effect"
import { IntentPreprocessing } from "../../src/Agent/IntentPreprocessing.ts"
import { type ContextFacts, PromptContext, type PromptTime, promptTime } from "../../src/Agent/PromptContext.ts"
import type { Sandbox } from "../../src/File/Sandbox.ts"
import { ChannelMessages } from "../../src/People/Channel/ChannelMessages.ts"
import { Channels } from "../../src/People/Channel/Channels.ts"
import { Memberships } from "../../src/People/Channel/Memberships.ts"
import { Projects } from "../../src/People/Channel/Projects.ts"
import { Directory } from "../../src/People/User/Users.ts"
import type { ScriptTool } from "../../src/Skill/ScriptTool.ts"
import { makeReadableFiles } from "../../src/Skill/SkillFiles.ts"
import { Skills } from "../../src/Skill/Skills.ts"
import { unconfiguredChat } from "./UnconfiguredChat.ts"

export const contextAt = (now: PromptTime): ContextFacts => ({
  now,
  requester: null,
  team: null,
  persona: null,
  projectContext: null,
  teamContext: null,
  shown: {}
})

/** Knows only the time. */
export const timeOnly = Layer.succeed(PromptContext, {
  of: () => Effect.map(Clock.currentTimeMillis, (now) => contextAt(promptTime(now, null)))
})

export const noPreprocessing = Layer.succeed(IntentPreprocessing, {
  prepare: () => Effect.succeed(null),
  skillsOf: () => Effect.succeed([])
})

const noScriptTools: ReadonlyArray<ScriptTool> = []

export const noSkills = Layer.mock(Skills, {
  custom: "",
  list: Effect.succeed([]),
  scriptTools: () => noScriptTools,
  find: (name) => new SkillNotFound({ name })
})

/** The user's files without those of skills. */
export const readableFiles = (sandbox: Sandbox["Type"]) =>
  makeReadableFiles(sandbox, { list: Effect.succeed([]), find: (name) => new SkillNotFound({ name }) })

export const emptyDirectory = Layer.succeed(Directory, {
  find: () => Effect.succeed({ requester: null, colleagues: [] })
})

/** The projects below a folder, none of which has a channel. */
export const projectsIn = (root: string) =>
  Projects.layer({ root, isolatesUsers: false }).pipe(
    Layer.provide([
      Layer.mock(Channels, {}),
      Layer.mock(Memberships, {}),
      Layer.mock(ChannelMessages, {}),
      unconfiguredChat
    ])
  )
