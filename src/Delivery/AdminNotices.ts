import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { rowsOf } from "../Runtime/Database/Query.ts"
import { Contacts, contactsOf, messagesTo } from "./Audience.ts"
import { outboxSignal, sendNotifications } from "./Outbox.ts"

const People = rowsOf(Schema.Struct({ id: Schema.String, contacts: Schema.NullOr(Contacts) }))

export interface Notice {
  readonly title: string
  readonly body: string
  /** The only one who gets it. */
  readonly user?: string
  /** Default: `reminder`. */
  readonly kind?: "alarm" | "reminder"
}

/**
 * Notifies owner and admins of something that belongs to no task, in the transaction of the caller. `admin`: the operator of a
 * self-hosted service; null: the owner and the admins of the team.
 */
export const makeNotifyAdmins = (admin: string | null) =>
  Effect.map(SqlClient, (sql) => ({ body, kind = "reminder", title, user }: Notice) => {
    const only = user ?? admin
    return Effect.flatMap(
      People(
        sql`select w.id, case when u.id is not null then ${sql.literal(contactsOf("u"))} end as contacts from (
  select ${only}::text as id where ${only}::text is not null
  union all
  select id from users where ${only}::text is null and role in ('owner', 'admin') and not is_system
) w left join users u on u.id = w.id order by w.id`
      ),
      (people) => {
        const told = people.map(({ contacts, id }, place) => ({ id, place, messages: messagesTo(contacts) }))
        return sql`with told as (
  select * from json_to_recordset(${JSON.stringify(told)}::json) as t(id text, place integer, messages json)
), added as (
  insert into notifications (id, user_id, kind, title, body)
  select notification_id(now(), ${randomUUID()}::uuid, place, 0), id, ${kind}, ${title}, ${body} from told
  returning id, user_id, task_id
), notices as (
  select added.*, told.messages from added join told on told.id = added.user_id
)${sql.literal(sendNotifications("notices"))}
select ${sql.literal(outboxSignal("messages"))}`
      }
    )
  })
