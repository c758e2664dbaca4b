import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import type { SkillDetail, SkillSummary } from "@troupe/domain/Skill"
import type { SkillScore } from "@troupe/domain/SkillMatch"
import { Effect } from "effect"
import { connection, textOf } from "./Arguments.ts"
import { list, safeLine, safeText, table, type TextStyle } from "./Format.ts"
import { writeReload, writeResult } from "./Screen.ts"
import { call, forService, segment } from "./Service.ts"

export const skillTable = list<SkillSummary>(
  ["NAME", ({ name }) => safeLine(name), "bold"],
  ["SOURCE", ({ source }) => source, "dim"],
  [
    "STATE",
    (skill) => skill.requirements_met ? "ready" : "lacking",
    (skill) => skill.requirements_met ? "dim" : "yellow"
  ],
  ["DESCRIPTION", ({ description }) => safeLine(description, 120), "dim"]
)

const skillText = (skill: SkillDetail, paint: TextStyle): string =>
  [
    `${paint.bold(safeLine(skill.name))}  ${paint.dim(safeLine(skill.path, 1000))}\n${safeText(skill.description)}\n`,
    ...(skill.tags.length === 0 ? [] : [`Tags: ${safeLine(skill.tags.join(", "), 1000)}\n`]),
    ...(skill.scripts.length === 0 ? [] : [`Scripts: ${safeLine(skill.scripts.join(", "), 1000)}\n`]),
    ...skill.warnings.map((warning) => `${paint.yellow("!")} ${safeLine(warning, 1000)}\n`),
    `\n${safeText(skill.instructions).trim()}\n`
  ].join("")

/** The skills' scores for a request, best first; those that an agent would use are marked. */
export const scoreTable = (
  scores: ReadonlyArray<SkillScore>,
  threshold: number,
  paint: TextStyle
): string =>
  table(
    scores.map(({ name, score }) => [score >= threshold ? "\u2713" : "\u00b7", score.toFixed(2), safeLine(name)]),
    (cell, column, row) =>
      (scores[row]?.score ?? 0) >= threshold ? column === 0 ? paint.green(cell) : cell : paint.dim(cell)
  )

const name = Args.text({ name: "skill" }).pipe(Args.withDescription("Name of the skill"))

const show = Command.make(
  "show",
  { ...connection, name },
  ({ json, name }) =>
    call((client) => client.skills.find({ path: { skill_name: segment(name) } })).pipe(
      Effect.flatMap((skill) => writeResult(skill, { json, text: skillText }))
    )
).pipe(forService("Shows a skill with its instructions"))

const request = Args.text({ name: "request" }).pipe(
  Args.withDescription("What somebody would ask the agent"),
  Args.atLeast(1)
)

const match = Command.make("match", { ...connection, request }, ({ json, request }) =>
  Effect.gen(function*() {
    const query = yield* textOf(request)
    const found = yield* call(({ skills }) => skills.similarity({ path: { query: segment(query) } }))
    yield* writeResult(found, { json, text: ({ scores, threshold }, paint) => scoreTable(scores, threshold, paint) })
  })).pipe(forService("Shows how well each skill fits a request; agents use the best that are marked"))

const reload = Command.make(
  "reload",
  connection,
  ({ json }) => Effect.flatMap(call((client) => client.skills.reload({})), writeReload("skills", json))
).pipe(forService("Reads the skill folders again"))

export const skills = Command.make(
  "skills",
  connection,
  ({ json }) =>
    call((client) => client.skills.list({ urlParams: { limit: 1000 } })).pipe(
      Effect.flatMap((found) => writeResult(found, { json, text: skillTable }))
    )
).pipe(
  forService("Lists the skills; shows, matches and reloads them"),
  Command.withSubcommands([show, match, reload])
)
