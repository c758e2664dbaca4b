import { TaskId } from "@troupe/domain/Ids"
import { NotificationId } from "@troupe/domain/Notification"
import { OutboxId } from "@troupe/domain/Outbox"
import type { Task } from "@troupe/domain/Task"
import { WebhookDeliveryId } from "@troupe/domain/Webhook"
import { Effect } from "effect"
import { type CommandFailed, wrongUsage } from "./CommandFailed.ts"
import { safeLine, table } from "./Format.ts"
import { call, segment, type Service } from "./Service.ts"

/** Something that an id names, and the words by which a person knows it. */
interface Named {
  readonly id: string
  readonly label: string
}

const beginning = /^[0-9a-f][0-9a-f-]{3,34}$/

const highest = "ffffffff-ffff-7fff-bfff-ffffffffffff"

/**
 * Lists sort by id, newest first, and go on below a cursor. So many digits are left open that no id is the cursor itself.
 */
const after = (prefix: string): string => {
  const kept = prefix.slice(0, 24)
  return `${kept}${highest.slice(kept.length)}`
}

const maxMatches = 10

/**
 * The id that begins with what is given, at least four characters of it. Anything else is left to the service, which says
 * that there is no such thing.
 */
const wholeId = (
  noun: string,
  find: (prefix: string) => Effect.Effect<ReadonlyArray<Named>, CommandFailed, Service>
) =>
(given: string): Effect.Effect<string, CommandFailed, Service> => {
  const prefix = given.toLowerCase()
  if (!beginning.test(prefix)) return Effect.succeed(given)
  return Effect.flatMap(
    find(prefix),
    (found) =>
      onlyOne(
        given,
        found.filter(({ id }) => id.startsWith(prefix)),
        `${prefix} is the beginning of more than one ${noun}`
      )
  )
}

const onlyOne = (
  given: string,
  matches: ReadonlyArray<Named>,
  whyNot: string
): Effect.Effect<string, CommandFailed> => {
  const [first, ...rest] = matches
  if (first === undefined) return Effect.succeed(given)
  return rest.length === 0 ?
    Effect.succeed(first.id) :
    wrongUsage(
      `${whyNot}. Give more characters of one of these:\n${
        table(matches.slice(0, maxMatches).map(({ id, label }) => ["", id, safeLine(label, 80)])).trimEnd()
      }${matches.length > maxMatches ? "\n  ..." : ""}`
    )
}

const limit = maxMatches + 1

const named = ({ id, title }: { readonly id: string; readonly title: string }): Named => ({ id, label: title })

const byBeginning = wholeId("task", (prefix) =>
  Effect.map(
    Effect.forEach(["task", "subtask"] as const, (task_type) =>
      call(({ tasks }) =>
        tasks.list({ urlParams: { task_type, include_archived: true, cursor: TaskId.make(after(prefix)), limit } })
      )),
    (found) =>
      found.flat().map(named)
  ))

/** The end of a task's id, by which the team chat names it. */
const ending = /^[0-9a-f]{8}$/

/** The id of a task or subtask; of one of the newest thousand tasks also by its end. */
export const taskIdOf = (given: string): Effect.Effect<string, CommandFailed, Service> =>
  Effect.flatMap(byBeginning(given), (found) => {
    const end = given.toLowerCase()
    return found !== given || !ending.test(end) ? Effect.succeed(found) : Effect.flatMap(
      call(({ tasks }) => tasks.list({ urlParams: { include_archived: true, limit: 1000 } })),
      (tasks) =>
        onlyOne(given, tasks.filter(({ id }) => id.endsWith(end)).map(named), `${end} is the end of more than one task`)
    )
  })

export const taskOf = (id: string): Effect.Effect<Task, CommandFailed, Service> =>
  call(({ tasks }) => tasks.find({ path: { task_id: segment(id) }, urlParams: {} }))

/** The task or subtask whose id this is, or whose id begins or ends with it. */
export const namedTask = (given: string): Effect.Effect<Task, CommandFailed, Service> =>
  Effect.flatMap(taskIdOf(given), taskOf)

export const scheduleIdOf = wholeId("schedule", () =>
  Effect.map(
    call(({ schedules }) => schedules.list({ urlParams: { limit: 1000 } })),
    (found) => found.map(({ id, title }) => ({ id, label: title }))
  ))

export const subscriptionIdOf = wholeId("subscription", () =>
  Effect.map(
    call(({ subscriptions }) => subscriptions.list({ urlParams: { limit: 1000 } })),
    (found) => found.map(({ id, url }) => ({ id, label: url }))
  ))

export const memoryIdOf = (user_id: string) =>
  wholeId("memory", () =>
    Effect.map(
      call(({ memories }) => memories.list({ path: { user_id }, urlParams: { limit: 1000 } })),
      (found) => found.map(({ content, id }) => ({ id, label: content }))
    ))

export const notificationIdOf = (user_id: string) =>
  wholeId("notification", (prefix) =>
    Effect.map(
      call(({ notifications }) =>
        notifications.list({ path: { user_id }, urlParams: { cursor: NotificationId.make(after(prefix)), limit } })
      ),
      (found) => found.map(({ id, title }) => ({ id, label: title }))
    ))

export const messageIdOf = wholeId("message", (prefix) =>
  Effect.map(
    call(({ outbox }) => outbox.list({ urlParams: { cursor: OutboxId.make(after(prefix)), limit } })),
    (found) => found.map(({ id, kind, recipient }) => ({ id, label: `${kind} to ${recipient}` }))
  ))

export const deliveryIdOf = wholeId("delivery", (prefix) =>
  Effect.map(
    call(({ webhooks }) =>
      webhooks.deliveries({ urlParams: { cursor: WebhookDeliveryId.make(after(prefix)), limit } })
    ),
    (found) => found.map(({ id, webhook_type }) => ({ id, label: webhook_type }))
  ))

export const memberIdOf = wholeId("member", () =>
  Effect.map(
    call(({ team }) => team.info({})),
    ({ members }) => members.map(({ email, id }) => ({ id, label: email }))
  ))

export const tokenIdOf = wholeId("token", () =>
  Effect.map(
    call(({ tokens }) => tokens.list({ urlParams: { limit: 1000 } })),
    (found) => found.map(({ id, name }) => ({ id, label: name }))
  ))
