import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as FileSystem from "@effect/platform/FileSystem"
import { maxTestedDays, type PolicyReport, type PolicyTestReport } from "@troupe/api/PolicyApi"
import { Policy } from "@troupe/domain/Policy"
import { ruleText } from "@troupe/domain/RuleText"
import { plural } from "@troupe/domain/Text"
import { Effect, ParseResult, Schema } from "effect"
import { connection } from "./Arguments.ts"
import { CommandFailed, wrongUsage } from "./CommandFailed.ts"
import { list, safeLine, safeText, type TextStyle } from "./Format.ts"
import { writeResult } from "./Screen.ts"
import { call, forService } from "./Service.ts"

/** The rules as sentences with their numbers, those that never apply marked, and the classes that were set. */
export const policyText = ({ classes, dead, preset, revision, rules }: PolicyReport, paint: TextStyle): string => {
  const reasons = new Map(dead.map(({ index, reason }) => [index, reason]))
  const ruleLines = rules.flatMap((rule, index) => {
    const reason = reasons.get(index)
    const line = `${String(index + 1).padStart(3)}. ${safeLine(ruleText(rule), 1_000)}`
    return [line, ...(reason === undefined ? [] : [`     ${paint.yellow(`Never applies: ${safeLine(reason, 300)}.`)}`])]
  })
  const classLines = Object.entries(classes).map(([glob, ofTool]) => `     ${safeLine(glob, 200)} is ${ofTool}`)
  return [
    `${paint.bold(`Revision ${revision}, preset ${preset}`)}${
      rules.length === 0 ? ", no rules." : ". Deny beats ask beats allow."
    }`,
    ...ruleLines,
    ...(classLines.length === 0 ? [] : ["Classes that were set:", ...classLines])
  ].map((line) => `${line}\n`).join("")
}

const maxShown = 50

const changedTable = list<PolicyTestReport["changed"][number]>(
  ["TASK", ({ task_id }) => task_id],
  ["CALL OF", ({ tool }) => safeLine(tool, 60)],
  ["WAS", ({ before }) => before],
  ["IS", ({ after }) => after],
  ["BY", ({ rule }) => rule === null ? "preset" : `rule ${rule + 1}`]
)

/** Totals, then a line for each call that would be decided otherwise. */
export const testText = (
  { allowed, asked, calls, changed, denied, left_out, tasks }: PolicyTestReport,
  paint: TextStyle
): string =>
  [
    `Of ${plural(calls, "call")} of ${
      plural(tasks, "task")
    }, these rules allow ${allowed}, ask about ${asked} and deny ${denied}.\n`,
    changed.length === 0
      ? "Each is decided as it was.\n"
      : `${plural(changed.length, "call")} decided otherwise:\n${changedTable(changed.slice(0, maxShown), paint)}`,
    ...(changed.length > maxShown ? [`${changed.length - maxShown} more: --json lists them.\n`] : []),
    ...(left_out === null ? [] : [`${safeText(left_out)}\n`])
  ].join("")

const { classes, preset, revision, rules } = Policy.fields

/** What POLICY_FILE has, or what `policy show --json` wrote. */
const PolicyFile = Schema.parseJson(Schema.Struct({
  preset: Schema.optional(preset),
  rules: Schema.optional(rules),
  classes: Schema.optional(classes),
  revision: Schema.optional(revision),
  dead: Schema.optional(Schema.Unknown)
}))

const decode = Schema.decode(PolicyFile, { errors: "all", onExcessProperty: "error" })

/** Every mistake in the text of a file, with its place. */
export const policyOf = (path: string, text: string) =>
  Effect.mapError(decode(text), (error) => {
    const mistakes = ParseResult.ArrayFormatter.formatErrorSync(error).map(({ message, path: at }) =>
      at.length === 0 ? message : `${at.map(String).join(".")}: ${message}`
    )
    return wrongUsage(
      `${safeLine(path)} is no policy. ${
        safeText(mistakes.slice(0, 10).join("\n"))
      }\nIt is JSON of the form {"preset": "balanced", "rules": [...], "classes": {...}}, as POLICY_FILE.`
    )
  })

const policyIn = (path: string) =>
  Effect.flatMap(FileSystem.FileSystem, (files) => files.readFileString(path)).pipe(
    Effect.mapError(() => wrongUsage(`${safeLine(path)} can't be read.`)),
    // Editors of Windows put a byte order mark in front.
    Effect.flatMap((text) => policyOf(path, text.replace(/^\ufeff/, "")))
  )

const file = Args.file({ name: "file" }).pipe(
  Args.withDescription(
    "JSON as POLICY_FILE has it, or as policy show --json writes it; what it leaves out stays as it is"
  )
)

const show = Command.make("show", connection, ({ json }) =>
  Effect.flatMap(
    call((client) => client.policy.find({})),
    (report) => writeResult(report, { json, text: policyText })
  )).pipe(forService("Shows the rules about tool calls, and which of them never apply"))

const test = Command.make(
  "test",
  {
    ...connection,
    days: Options.integer("days").pipe(
      Options.withSchema(Schema.Int.pipe(Schema.between(1, maxTestedDays))),
      Options.withDescription("Read the tasks of so many days; default: 30"),
      Options.withDefault(30)
    ),
    file
  },
  ({ days, file, json }) =>
    Effect.gen(function*() {
      const { classes, preset, rules } = yield* policyIn(file)
      const payload = {
        days,
        ...(classes === undefined ? {} : { classes }),
        ...(preset === undefined ? {} : { preset }),
        ...(rules === undefined ? {} : { rules })
      }
      const report = yield* call((client) => client.policy.test({ payload }))
      yield* writeResult(report, { json, text: testText })
    })
).pipe(forService("Shows what the rules of a file would have decided about past calls; for the owner and admins"))

const apply = Command.make("apply", { ...connection, file }, ({ file, json }) =>
  Effect.gen(function*() {
    const { dead: _dead, ...given } = yield* policyIn(file)
    const from = given.revision ?? (yield* call((client) => client.policy.find({}))).revision
    const report = yield* call((client) =>
      client.policy.update({ payload: { ...given, revision: from } }).pipe(
        Effect.catchTag("PolicyChanged", (changed) =>
          new CommandFailed({
            reason: "refused",
            message: `Nothing was saved: ${
              safeLine(file)
            } was made from revision ${from}, and somebody has saved revision ${changed.revision} since. See it with troupe policy show, put your changes into it, and apply that.`
          }))
      )
    )
    yield* writeResult(report, { json, text: (saved, paint) => `Saved.\n${policyText(saved, paint)}` })
  })).pipe(forService("Saves the rules of a file as the next revision; for the owner and admins"))

export const policy = Command.make("policy", connection, ({ json }) =>
  Effect.flatMap(
    call((client) => client.policy.find({})),
    (report) => writeResult(report, { json, text: policyText })
  )).pipe(
    forService("Shows the rules about tool calls, and which of them never apply"),
    Command.withSubcommands([show, test, apply])
  )
