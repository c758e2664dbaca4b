import { SqlClient } from "@effect/sql/SqlClient"
import type { PastApproval } from "@troupe/domain/EqualApprovals"
import type { UserId } from "@troupe/domain/Ids"
import { defaultPolicy, Policy, PolicyChanged, type Preset } from "@troupe/domain/Policy"
import type { CallGrant, CallRequester } from "@troupe/domain/PolicyDecision"
import { Context, Effect, Layer, Option, Schema, Stream } from "effect"
import { asService } from "../Runtime/Database/Isolation.ts"
import { rowsOf } from "../Runtime/Database/Query.ts"
import { Signals } from "../Runtime/Database/Signals.ts"
import { untilAvailable } from "../Runtime/Database/Sql.ts"
import { Grants, pastApprovals } from "./Grants.ts"

interface PoliciesOptions {
  /** The preset of the environment, which no saved one replaces. */
  readonly preset: Option.Option<Preset>
}

/** For signals that were lost unnoticed; while none arrives, `Signals` makes up for them. */
const pollInterval = "30 seconds"

/** The rules about tool calls. Each process has the newest revision at once, or within seconds where notifications are lost. */
export class Policies extends Context.Tag("troupe/Policy/Policies")<Policies, {
  /** As this process knows it; it reads nothing. */
  readonly current: () => Policy
  /** The preset comes from the environment. */
  readonly isPresetLocked: boolean
  /** Saves the next revision, made from revision `from`. Null as author: a file. */
  readonly save: (
    next: Omit<Policy, "revision">,
    from: number,
    author: UserId | null
  ) => Effect.Effect<Policy, PolicyChanged>
  /** The grants that may cover a call of this tool for this task. */
  readonly grantsFor: (by: CallRequester, tool: string) => Effect.Effect<ReadonlyArray<CallGrant>>
  readonly grantUsed: (id: string) => Effect.Effect<void>
  /** The last calls of this tool that a person has approved or denied, in tasks like this one. */
  readonly approvalsFor: (by: CallRequester, tool: string) => Effect.Effect<ReadonlyArray<PastApproval>>
}>() {
  static readonly layer = ({ preset }: PoliciesOptions): Layer.Layer<Policies, never, Grants | Signals | SqlClient> =>
    Layer.scoped(
      this,
      Effect.gen(function*() {
        const sql = yield* SqlClient
        const signals = yield* Signals
        const grants = yield* Grants
        const withPreset = (policy: Policy): Policy => ({
          ...policy,
          preset: Option.getOrElse(preset, () => policy.preset)
        })
        const read = Effect.map(
          policies(
            asService(sql`select revision, preset, rules, classes from policies order by revision desc limit 1`)
          ),
          ([row]) => withPreset(row ?? defaultPolicy)
        )
        let current = yield* Effect.orDie(untilAvailable()(read))
        const refresh = Effect.map(read, (found) => void (current = found)).pipe(
          Effect.catchAllCause((cause) => Effect.logDebug("Reading the policy failed; it will be retried", cause))
        )
        yield* Stream.merge(signals.receive("troupe_policy"), Stream.tick(pollInterval)).pipe(
          Stream.runForEach(() => refresh),
          Effect.forkScoped
        )
        return Policies.of({
          current: () => current,
          isPresetLocked: Option.isSome(preset),
          grantsFor: grants.forCall,
          grantUsed: grants.used,
          approvalsFor: pastApprovals(sql),
          save: Effect.fn("Policies.save")(function*(next, from, author) {
            // Of two writers, the second one waits, and finds the revision of the first.
            const saved = yield* asService(Effect.orDie(sql.withTransaction(
              sql`lock table policies in exclusive mode`.pipe(Effect.zipRight(policies(
                sql`insert into policies (revision, preset, rules, classes, author)
select coalesce(max(revision), 0) + 1, ${next.preset}, ${rulesText(next.rules)}, ${classesText(next.classes)}, ${author}
from policies having coalesce(max(revision), 0) = ${from}::bigint
returning revision, preset, rules, classes`
              )))
            )))
            const [row] = saved
            if (row === undefined) {
              yield* refresh
              return yield* new PolicyChanged({ revision: current.revision })
            }
            current = withPreset(row)
            yield* Effect.ignore(asService(sql`select pg_notify('troupe_policy', '')`))
            signals.send("troupe_policy")
            return current
          })
        })
      })
    )

  /** One policy, which nobody changes, without grants. */
  static readonly layerOf = (policy: Partial<Policy> = {}): Layer.Layer<Policies> =>
    Layer.succeed(this, {
      current: () => ({ ...defaultPolicy, ...policy }),
      isPresetLocked: true,
      save: (next) => Effect.succeed({ ...next, revision: 1 }),
      grantsFor: () => Effect.succeed([]),
      grantUsed: () => Effect.void,
      approvalsFor: () => Effect.succeed([])
    })
}

const { classes, rules } = Policy.fields
const rulesText = Schema.encodeSync(Schema.parseJson(rules))
const classesText = Schema.encodeSync(Schema.parseJson(classes))

const policies = rowsOf(
  Schema.Struct({
    ...Policy.fields,
    rules: Schema.parseJson(rules),
    classes: Schema.parseJson(classes)
  }).annotations({ identifier: "PolicyRow" })
)
