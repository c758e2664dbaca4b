import * as Tool from "@effect/ai/Tool"
import { plural } from "@troupe/domain/Text"
import { Effect, Schema } from "effect"
import { suggestion } from "../Runtime/NearNames.ts"
import type { ScriptEnd } from "../Skill/ScriptProcess.ts"
import type { Skills } from "../Skill/Skills.ts"
import { type AgentTool, ToolFailed } from "./AgentTool.ts"
import {
  type CallTime,
  lossesOf,
  makeScriptCalls,
  overfilled,
  type ScriptServices,
  usualSecondsOf,
  whyFailed
} from "./ScriptCalls.ts"
import { implement } from "./ToolHandler.ts"

const maxArguments = 100
const maxArgument = 10_000

const argument = Schema.String.pipe(
  Schema.maxLength(maxArgument),
  Schema.filter((text) => !text.includes("\0"), { message: () => "a text without NUL characters" })
)

export const RunSkillScript = (maxSeconds: number) => {
  const defaultSeconds = usualSecondsOf(maxSeconds)
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
  { callTime: { maxSeconds, timeout }, skills, ...services }: ScriptServices & {
    readonly callTime: CallTime
    readonly skills: Skills["Type"]
  },
  call = makeScriptCalls(services)
): AgentTool =>
  implement(RunSkillScript(maxSeconds), {
    changes: "outside",
    class: services.scripts.judgement.isClosed ? "own" : "outside",
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
        const { deleted, ended, limits } = yield* call({ skill, script, args, userId, seconds: timeout_seconds })
        const printed = printedBy(ended)
        const why = whyFailed(ended, timeout_seconds, limits) ?? overfilled(deleted, limits)
        return why === null
          ? printed
          : yield* new ToolFailed({ reason: `${script} ${why} It printed:\n${printed}${lossesOf(deleted)}` })
      })
  })

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
