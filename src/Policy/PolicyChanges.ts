import { SqlClient } from "@effect/sql/SqlClient"
import { CurrentUser } from "@troupe/api/Authentication"
import {
  type PolicyChange,
  type PolicyReport,
  PolicyRevision,
  type PolicyTest,
  type PolicyTestReport,
  type PolicyTool
} from "@troupe/api/PolicyApi"
import { isSelfHosted } from "@troupe/domain/Caller"
import { deadRules } from "@troupe/domain/DeadRules"
import { UserId } from "@troupe/domain/Ids"
import {
  type Policy,
  type PolicyChanged,
  PolicyInvalid,
  PresetLocked,
  type Rule,
  type ToolClasses
} from "@troupe/domain/Policy"
import { givenClass } from "@troupe/domain/PolicyDecision"
import type { SearchUnfinished } from "@troupe/domain/Search"
import { Context, Effect, Layer, Option, Schedule, Schema } from "effect"
import { asService } from "../Runtime/Database/Isolation.ts"
import type { PageRequest } from "../Runtime/Database/Page.ts"
import { rowsOf } from "../Runtime/Database/Query.ts"
import { timestamp } from "../Runtime/Database/TimestampColumn.ts"
import type { Skills } from "../Skill/Skills.ts"
import type { SkillScripts } from "../Skill/SkillScripts.ts"
import { makeKnownTools, type RuledTool } from "../Tool/KnownTools.ts"
import type { ToolServerRepo } from "../ToolServer/ToolServerRepo.ts"
import { Policies } from "./Policies.ts"
import { deadRulesSaved } from "./PolicyMetrics.ts"
import { PolicyTests } from "./PolicyTests.ts"

/** The rules as people read and change them. */
export class PolicyChanges extends Context.Tag("troupe/Policy/PolicyChanges")<PolicyChanges, {
  readonly find: Effect.Effect<PolicyReport>
  /** Saves the next revision; what the change leaves out stays as it is. */
  readonly change: (
    change: PolicyChange
  ) => Effect.Effect<PolicyReport, PolicyChanged | PolicyInvalid | PresetLocked, CurrentUser>
  /** What these rules would have decided about past calls, also with another preset than one that is locked. */
  readonly test: (
    test: PolicyTest
  ) => Effect.Effect<PolicyTestReport, PolicyInvalid | SearchUnfinished, CurrentUser>
  /** Every tool with its class, by name. */
  readonly tools: Effect.Effect<ReadonlyArray<PolicyTool>>
  /** Newest first. */
  readonly revisions: (page: PageRequest<number>) => Effect.Effect<ReadonlyArray<PolicyRevision>>
}>() {
  static readonly layer: Layer.Layer<
    PolicyChanges,
    never,
    Policies | PolicyTests | Skills | SkillScripts | SqlClient | ToolServerRepo
  > = Layer.scoped(
    this,
    Effect.gen(function*() {
      const policies = yield* Policies
      const tests = yield* PolicyTests
      const sql = yield* SqlClient
      const knownTools = yield* makeKnownTools
      let deadCount = 0
      yield* deadRulesSaved(() => deadCount)
      const reportOf = (policy: Policy) =>
        Effect.map(knownTools, (tools): PolicyReport => {
          const dead = deadRules(policy.rules, tools)
          deadCount = dead.length
          return { ...policy, dead }
        })
      const find = Effect.suspend(() => reportOf(policies.current()))
      yield* Effect.catchAllCause(find, (cause) => Effect.logDebug("Looking for dead rules failed", cause)).pipe(
        Effect.repeat(Schedule.spaced("5 minutes")),
        Effect.forkScoped
      )

      /** Of a hosted service, whose members are known: a rule that lists only others could never be approved. */
      const checkApprovers = Effect.fnUntraced(function*(rules: ReadonlyArray<Rule>) {
        if (isSelfHosted(yield* CurrentUser)) return
        const members = yield* ids(asService(sql`select user_id as id from team_members`))
        const known = new Set<string>(["requester", "admin", ...members.map(({ id }) => id)])
        const index = rules.findIndex(({ who }) => who !== undefined && !who.some((one) => known.has(one)))
        if (index >= 0) {
          return yield* new PolicyInvalid({
            path: `rules.${index}.who`,
            reason: "none of these is requester, admin or a member of the team, so nobody could approve"
          })
        }
      })

      return PolicyChanges.of({
        find,
        change: Effect.fn("PolicyChanges.change")(function*({ revision, ...change }) {
          const current = policies.current()
          const { classes = current.classes, preset = current.preset, rules = current.rules } = change
          if (policies.isPresetLocked && preset !== current.preset) {
            return yield* new PresetLocked({ preset: current.preset })
          }
          yield* checkApprovers(rules)
          const { id } = yield* CurrentUser
          return yield* reportOf(yield* policies.save({ preset, rules, classes }, revision, id))
        }),
        tools: Effect.map(knownTools, (tools) =>
          tools.map((tool) => policyTool(policies.current().classes, tool))
            .toSorted((one, other) => one.name < other.name ? -1 : 1)),
        revisions: ({ cursor, limit }) =>
          revisions(asService(
            sql`select revision, preset, rules, classes, author, ${sql.literal(timestamp("created_at", "created_at"))}
from policies where revision < ${
              Option.getOrElse(cursor, () => Number.MAX_SAFE_INTEGER)
            }::bigint order by revision desc limit ${limit}`
          )),
        test: Effect.fn("PolicyChanges.test")(function*({ days, ...given }) {
          const { classes = policies.current().classes, preset = policies.current().preset, rules } = given
          if (rules !== undefined) yield* checkApprovers(rules)
          return yield* tests.run({ classes, preset, rules: rules ?? policies.current().rules }, days)
        })
      })
    })
  )
}

const policyTool = (
  classes: ToolClasses,
  { class: own, name, server }: Pick<RuledTool, "class" | "name" | "server">
): PolicyTool => {
  if (server === null) return { name, server, class: own, class_from: name.includes("__") ? "skill" : "built_in" }
  const given = givenClass(classes, name)
  return { name, server, class: given ?? own, class_from: given === undefined ? "hints" : "admin" }
}

const revisions = rowsOf(
  Schema.Struct({
    ...PolicyRevision.fields,
    rules: Schema.parseJson(PolicyRevision.fields.rules),
    classes: Schema.parseJson(PolicyRevision.fields.classes)
  }).annotations({ identifier: "PolicyRevisionRow" })
)

const ids = rowsOf(Schema.Struct({ id: UserId }))
