import type { UserId } from "@troupe/domain/Ids"
import type { TaskType } from "@troupe/domain/Task"
import { plural } from "@troupe/domain/Text"
import { Clock, Duration, Effect } from "effect"
import { quotaText, type Sandbox, type StorageUsage } from "../File/Sandbox.ts"
import type { ScriptRequest } from "../Skill/ScriptCommands.ts"
import type { ScriptEnd } from "../Skill/ScriptProcess.ts"
import type { SkillScripts } from "../Skill/SkillScripts.ts"
import { maxCallSecondsOf, type StepTimeouts } from "../ToolServer/ServerCall.ts"
import { orToolFailed, ToolFailed } from "./AgentTool.ts"

export interface ScriptServices {
  readonly sandbox: Sandbox["Type"]
  readonly scripts: SkillScripts["Type"]
}

export interface ScriptCall {
  readonly ended: ScriptEnd
  /** The number of files that were deleted after it, because they were beyond the user's limits. */
  readonly deleted: number
  /** The user's limits, in words. */
  readonly limits: string
}

const usualSeconds = 60

export const usualSecondsOf = (maxSeconds: number): number => Math.min(usualSeconds, maxSeconds)

/** Maximum size of a file that a script writes, whatever room the user has. */
const maxFileBytes = 256 * 1024 * 1024

/** Runs scripts of skills in the user's folder, within the user's limits. */
export const makeScriptCalls = ({ sandbox, scripts }: ScriptServices) =>
(
  request: Omit<ScriptRequest, "fileBytes" | "folder" | "isOverfull"> & { readonly userId: UserId }
): Effect.Effect<ScriptCall, ToolFailed> =>
  Effect.gen(function*() {
    const { script, userId } = request
    const before = yield* sandbox.usage(userId)
    const limits = quotaText(before)
    if (before.usedFiles === Infinity) {
      return yield* new ToolFailed({
        reason: "the user's files could not be measured: a folder can't be read or its path is too long. "
          + "Ask the user to have the operator delete it; the log of the service names it."
      })
    }
    if (before.usedBytes >= before.limitBytes || before.usedFiles >= before.limitFiles) {
      return yield* new ToolFailed({ reason: `the user has no room left: ${limits}. Ask the user to make room.` })
    }
    const since = (yield* Clock.currentTimeMillis) - timestampMillis
    const removeExcess = sandbox.removeExcess(userId, since)
    const folder = yield* orToolFailed(sandbox.folder(userId))
    const ended = yield* scripts.run({
      ...request,
      folder,
      fileBytes: Math.min(maxFileBytes, before.limitBytes - before.usedBytes),
      isOverfull: Effect.map(sandbox.usage(userId), isOver)
    }).pipe(
      Effect.mapError((reason) => new ToolFailed({ reason: `${script} was not run: ${reason}. Try another way.` })),
      Effect.onInterrupt(() => removeExcess)
    )
    // A script can fill a disk between two measurements, however it ends.
    return { ended, deleted: yield* removeExcess, limits }
  })

/** File systems may date a change so much earlier than the clock. */
const timestampMillis = 100

const isOver = ({ limitBytes, limitFiles, usedBytes, usedFiles }: StorageUsage): boolean =>
  usedBytes > limitBytes || usedFiles > limitFiles

/** Why a script did not end well, or null. */
export const whyFailed = ({ code, signal, stopped }: ScriptEnd, seconds: number, limits: string): string | null => {
  switch (stopped) {
    case "timeout":
      return `was stopped after ${plural(seconds, "second")}. It may have done a part of its work.`
    case "output":
      return "was stopped because it printed more than 1 MB. Have it write to a file or print less."
    case "processes":
      return "was stopped because it started too many processes."
    case "memory":
      return "was stopped because it used too much memory."
    case "space":
      return `was stopped because it wrote more than fits: ${limits}; its temporary files may take 64 MiB. `
        + "Have it write less, or ask the user to make room."
    case null:
      if (code === 0) return null
      return code === null ? `was ended by ${signal}.` : `ended with exit code ${code}.`
  }
}

export const overfilled = (deleted: number, limits: string): string | null =>
  deleted === 0 ? null : `ended well, but wrote more than fits: ${limits}.`

export const lossesOf = (deleted: number): string =>
  deleted === 0
    ? ""
    : `\n[${plural(deleted, "file")} that it added or changed ${deleted === 1 ? "was" : "were"} deleted to make room.]`

/** The limits of a call of a script. */
export interface CallTime {
  readonly maxSeconds: number
  /** When the call is interrupted: after its own limit and before the step's time-out. */
  readonly timeout: Duration.Duration
}

/** The rest of the step is left to stop a call that overruns and to save results. */
export const callTimeOf = (timeouts: StepTimeouts, type: TaskType): CallTime => {
  const stepTimeout = type === "subtask" ? timeouts.subagent : timeouts.parent
  const maxSeconds = maxCallSecondsOf([stepTimeout])
  const rest = Duration.toSeconds(stepTimeout) - maxSeconds
  return { maxSeconds, timeout: Duration.seconds(maxSeconds + Math.min(30, Math.max(1, rest / 2))) }
}
