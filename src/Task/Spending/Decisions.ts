import { CurrentUser } from "@troupe/api/Authentication"
import { isAdmin, NotAllowed } from "@troupe/domain/Caller"
import type { UserId } from "@troupe/domain/Ids"
import { limitText, pausedBy } from "@troupe/domain/Spending"
import { TaskRequestInvalid } from "@troupe/domain/Task"
import { Effect, Option } from "effect"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { prepared, PreparedStatements } from "../../Runtime/Database/PreparedStatements.ts"
import type { TaskRow } from "../Row/TaskRow.ts"

const decisions: Readonly<Record<string, "go_on" | "stop">> = { "go on": "go_on", stop: "stop" }

/** Whether the task waits for a spending limit. */
export const isPaused = ({ last_tool_call_id, status }: Pick<TaskRow, "last_tool_call_id" | "status">): boolean =>
  status === "waiting_input" && pausedBy(last_tool_call_id) !== null

/** Decides about the spending limit for which a task waits: for all tasks under it, which then go on or end within seconds. */
export const makeDecide = Effect.map(PreparedStatements, ({ execute }) => {
  const mayDecide = (by: UserId | null) =>
    Effect.gen(function*() {
      const caller = Option.getOrNull(yield* Effect.serviceOption(CurrentUser))
      if (caller !== null) return isAdmin(caller)
      const found = by === null ? [] : yield* asService(Effect.orDie(execute(admin({ user: by }))))
      return found.length > 0
    })
  return (
    { last_tool_call_id }: Pick<TaskRow, "last_tool_call_id">,
    response: string,
    by: UserId | null
  ): Effect.Effect<void, NotAllowed | TaskRequestInvalid> =>
    Effect.gen(function*() {
      const key = pausedBy(last_tool_call_id) ?? ""
      if (!(yield* mayDecide(by))) {
        return yield* new NotAllowed({ reason: "Only an owner or admin may decide about a spending limit." })
      }
      const decision = decisions[response.trim().toLowerCase().replace(/[.!]$/, "")]
      if (decision === undefined) {
        const reason = "the task waits for a spending limit: answer \"Go on\" or \"Stop\""
        return yield* new TaskRequestInvalid({ path: "response", reason })
      }
      yield* asService(Effect.orDie(execute(decide({ key, decision }))))
      yield* Effect.logInfo(`${limitText(key)}: decided to ${decision === "stop" ? "stop" : "go on"}`).pipe(
        Effect.annotateLogs({ user_id: by })
      )
    })
})

const admin = prepared(
  "spending_admin",
  ["user"],
  "select id from users where id = $user::text and role in ('owner', 'admin')"
)

const decide = prepared(
  "spending_decide",
  ["key", "decision"],
  `insert into spending_marks as m (key, asked_at, decision) values ($key::text, now(), $decision::text)
on conflict (key) do update set decision = excluded.decision, resumed_at = null`
)
