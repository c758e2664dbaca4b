import * as Tool from "@effect/ai/Tool"
import type { TaskType } from "@troupe/domain/Task"
import { plural } from "@troupe/domain/Text"
import { Clock, Duration, Effect, Schema } from "effect"
import { quotaText, type Sandbox, type StorageUsage } from "../File/Sandbox.ts"
import { suggestion } from "../Runtime/NearNames.ts"
import type { ScriptEnd } from "../Skill/ScriptProcess.ts"
import type { Skills } from "../Skill/Skills.ts"
import type { SkillScripts } from "../Skill/SkillScripts.ts"
import { maxCallSecondsOf, type StepTimeouts } from "../ToolServer/ServerCall.ts"
import { type AgentTool, orToolFailed, ToolFailed } from "./AgentTool.ts"
import { implement } from "./ToolHandler.ts"

const usualSeconds = 60
const maxArguments = 100
const maxArgument = 10_000

/** Maximum size of a file that a script writes, whatever room the user has. */
const maxFileBytes = 256 * 1024 * 1024

const argument = Schema.String.pipe(
  Schema.maxLength(maxArgument),
  Schema.filter((text) => !text.includes("\0"), { message: () => "a text without NUL characters" })
)

const RunSkillScript = (maxSeconds: number) => {
  const defaultSeconds = Math.min(usualSeconds, maxSeconds)
  const parameters = {
    skill_name: Schema.String.annotations({ description: "The skill whose script it is" }),
    script: Schema.String.annotations({ description: "The script, as the skill's instructions name it" }),
    args: Schema.optionalWith(
      Schema.Array(argument).pipe(Schema.maxItems(maxArguments)).annotations({
        description: "The script's arguments, one text each; files relative to the user's folder. Default: none"
      }),
      { default: () => [] }
    ),
    timeout_seconds: Schema.optionalWith(
      Schema.Int.pipe(Schema.between(1, maxSeconds)).annotations({
        description: `Seconds after which the script is stopped, 1 to ${maxSeconds}. Default: ${defaultSeconds}`
      }),
      { default: () => defaultSeconds }
    )
  }
  return Tool.make("run_skill_script", {
    description: "Run a script that comes with a skill. It works in the user's folder, so it reads and writes the same "
      + "files as read_file and write_file; the result is what it prints. Long output is cut: have the script write long "
      + `results to a file, if it can. It may take up to ${plural(maxSeconds, "second")} (timeout_seconds).`,
    parameters
  })
}

export const runSkillScript = (
  { callTime: { maxSeconds, timeout }, sandbox, scripts, skills }: {
    readonly callTime: CallTime
    readonly sandbox: Sandbox["Type"]
    readonly skills: Skills["Type"]
    readonly scripts: SkillScripts["Type"]
  }
): AgentTool =>
  implement(RunSkillScript(maxSeconds), {
    changes: "outside",
    class: scripts.judgement.isClosed ? "own" : "outside",
    shows: { outside: "the output of a script", private: true },
    timeout,
    run: ({ args, script: given, skill_name, timeout_seconds }, { userId }) =>
      Effect.gen(function*() {
        const skill = yield* Effect.catchTag(skills.find(skill_name), "SkillNotFound", () =>
          Effect.flatMap(skills.list, (all) => new ToolFailed({ reason: noSkill(skill_name, all) })))
        const script = [given, given.replace(/^(?:\.\/)?scripts\//, "")].find((one) =>
          skill.scripts.includes(one)
        )
        if (script === undefined) return yield* new ToolFailed({ reason: noScript(given, skill) })
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
          skill,
          script,
          args,
          userId,
          folder,
          seconds: timeout_seconds,
          fileBytes: Math.min(maxFileBytes, before.limitBytes - before.usedBytes),
          isOverfull: Effect.map(sandbox.usage(userId), isOver)
        }).pipe(
          Effect.mapError((reason) => new ToolFailed({ reason: `${script} was not run: ${reason}. Try another way.` })),
          Effect.onInterrupt(() => removeExcess)
        )
        // A script can fill a disk between two measurements, however it ends.
        const deleted = yield* removeExcess
        const printed = printedBy(ended)
        const why = whyFailed(ended, timeout_seconds, limits)
          ?? (deleted === 0 ? null : `ended well, but wrote more than fits: ${limits}. It printed:`)
        if (why === null) return printed
        const losses = deleted === 0
          ? ""
          : `\n[${plural(deleted, "file")} that it added or changed ${
            deleted === 1 ? "was" : "were"
          } deleted to make room.]`
        return yield* new ToolFailed({ reason: `${script} ${why}\n${printed}${losses}` })
      })
  })

/** File systems may date a change so much earlier than the clock. */
const timestampMillis = 100

const isOver = ({ limitBytes, limitFiles, usedBytes, usedFiles }: StorageUsage): boolean =>
  usedBytes > limitBytes || usedFiles > limitFiles

const noSkill = (
  wanted: string,
  all: ReadonlyArray<{ readonly name: string; readonly scripts: ReadonlyArray<string> }>
) => {
  const names = all.filter(({ scripts }) => scripts.length > 0).map(({ name }): string => name)
  const known = suggestion(wanted, names, `Skills with scripts: ${names.slice(0, 50).join(", ") || "none"}.`)
  return `there is no skill ${quoted(wanted)}. ${known}`
}

const noScript = (
  wanted: string,
  { name, scripts }: { readonly name: string; readonly scripts: ReadonlyArray<string> }
) =>
  `the skill ${name} has no script ${quoted(wanted)}. ${
    scripts.length === 0 ? "It has none at all." : `Its scripts: ${scripts.slice(0, 50).join(", ")}.`
  }`

const quoted = (text: string): string => JSON.stringify(text.slice(0, 100))

const printedBy = ({ errors, output }: ScriptEnd): string =>
  [output.trimEnd(), ...(errors.trim() === "" ? [] : [`[It also wrote to its error output:]\n${errors.trimEnd()}`])]
    .filter((part) => part !== "").join("\n\n") || "[It printed nothing.]"

const whyFailed = ({ code, signal, stopped }: ScriptEnd, seconds: number, limits: string): string | null => {
  switch (stopped) {
    case "timeout":
      return `was stopped after ${plural(seconds, "second")}. It may have done a part of its work. It printed:`
    case "output":
      return "was stopped because it printed more than 1 MB. Have it write to a file or print less. It printed:"
    case "processes":
      return "was stopped because it started too many processes. It printed:"
    case "memory":
      return "was stopped because it used too much memory. It printed:"
    case "space":
      return `was stopped because it wrote more than fits: ${limits}; its temporary files may take 64 MiB. `
        + "Have it write less, or ask the user to make room. It printed:"
    case null:
      if (code === 0) return null
      return code === null ? `was ended by ${signal}. It printed:` : `ended with exit code ${code}. It printed:`
  }
}

/** The limits of a call whose arguments set its time-out. */
interface CallTime {
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
