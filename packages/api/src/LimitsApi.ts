import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { PeriodLimits, SpendingLimits } from "@troupe/domain/Spending"
import { Schema } from "effect"
import { AdminOnly, Authentication } from "./Authentication.ts"
import { checkedWhole, described, titled } from "./Fields.ts"
import * as Problems from "./Problems.ts"

const Spent = Schema.Struct({
  day: Schema.Finite.annotations({ description: "Today" }),
  month: Schema.Finite.annotations({ description: "In this month" })
}).annotations({ identifier: "Spent" })
export type Spent = typeof Spent.Type

const Limit = Schema.typeSchema(PeriodLimits)

export const LimitsReport = Schema.Struct({
  team: Limit.annotations({ description: "Of all tasks together" }),
  person: Limit.annotations({ description: "Of the tasks of each person" }),
  agents: Schema.Record({ key: Schema.String, value: Limit }).annotations({
    description: "Of the tasks of an agent, by its name"
  }),
  spent: Schema.Struct({
    team: Spent.annotations({ description: "By all tasks together" }),
    people: Schema.Record({ key: Schema.String, value: Spent }).annotations({
      description: "By the tasks of each person, by id"
    }),
    agents: Schema.Record({ key: Schema.String, value: Spent }).annotations({
      description: "By the tasks of each agent, by its name"
    })
  }).annotations({ description: "What was spent in UTC" }),
  unpriced_calls: Schema.Struct({
    day: Schema.Number.annotations({ description: "Today" }),
    month: Schema.Number.annotations({ description: "In this month" })
  }).annotations({ description: "Calls of models without a price, which count as 0" })
}).annotations({ identifier: "LimitsReport" })
export type LimitsReport = typeof LimitsReport.Type

/** What may be spent in a day and in a month. */
export class LimitsApi extends HttpApiGroup.make("limits")
  .add(
    HttpApiEndpoint.get("find", "/api/limits")
      .addSuccess(LimitsReport)
      .middleware(AdminOnly)
      .annotateContext(described("The spending limits; team.day is MAX_COST_PER_DAY where none is stored"))
  )
  .add(
    HttpApiEndpoint.put("update", "/api/limits")
      .setPayload(checkedWhole(SpendingLimits))
      .addSuccess(LimitsReport)
      .addError(Problems.limitsInvalid)
      .middleware(AdminOnly)
      .annotateContext(
        described(
          "Replaces the spending limits. At 80 % owner and admins are warned; at 100 % all tasks under a limit wait until somebody "
            + "answers one of them with Go on or Stop, or the next period begins"
        )
      )
  )
  .middlewareEndpoints(Authentication)
  .annotateContext(titled("Limits", "What may be spent in a day and in a month."))
{}
