import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import type { Schedule } from "@troupe/domain/Schedule"
import { Effect, Option, Schema } from "effect"
import { connection, optional, textOf, userOption } from "./Arguments.ts"
import { wrongUsage } from "./CommandFailed.ts"
import { list, minuteOf, safeLine } from "./Format.ts"
import { scheduleIdOf } from "./Ids.ts"
import { Screen, writeDone, writeList } from "./Screen.ts"
import { call, forService, segment } from "./Service.ts"

const whenOf = ({ at, cron, every, timezone }: Schedule): string =>
  cron === null ? `once at ${minuteOf(at ?? "")}` : `${every ?? cron}, ${timezone}`

const nextOf = ({ next_runs: [next], status }: Schedule): string => next === undefined ? status : minuteOf(next)

export const scheduleTable = list<Schedule>(
  ["ID", ({ id }) => id, "dim"],
  ["KIND", ({ kind }) => kind, "dim"],
  ["TITLE", ({ title }) => safeLine(title, 60)],
  ["WHEN", (schedule) => safeLine(whenOf(schedule), 100), "dim"],
  ["NEXT", nextOf, (schedule) => nextOf(schedule) === "paused" ? "yellow" : "dim"],
  ["HEALTH", ({ health }) => health.state, ({ health }) => health.state === "ok" ? "dim" : "yellow"]
)

const scheduleText = (schedule: Schedule): string =>
  [
    `${schedule.id}: ${schedule.kind}, ${safeLine(whenOf(schedule), 100)}\n`,
    ...schedule.next_runs.map((run) => `  ${minuteOf(run)}\n`)
  ].join("")

const show = (schedule: Schedule, json: boolean, note: string) =>
  Effect.flatMap(Screen, (screen) =>
    json
      ? screen.json(schedule)
      : Effect.zipRight(screen.note(`${note}\n`), screen.write(scheduleText(schedule))))

const Cost = Schema.Union(
  Schema.transform(Schema.Literal("none"), Schema.Null, { decode: () => null, encode: () => "none" as const }),
  Schema.NumberFromString.pipe(Schema.finite(), Schema.positive())
).annotations({ message: () => ({ message: "a number greater than 0, or none", override: true }) })

const plan = {
  at: optional(Options.text("at"), "When it runs once: \"tomorrow at 9\", \"in 2 hours\", 2027-01-31T09:00"),
  every: optional(
    Options.text("every"),
    "When it recurs: \"weekday at 9\", \"2 hours\", \"last friday of the month\", \"0 9 * * 1-5\""
  ),
  timezone: optional(Options.text("timezone"), "IANA time zone; default of a new one: the user's, else UTC"),
  channel: optional(Options.text("channel"), "The chat platform's id of the channel for results and reminders"),
  agent: optional(Options.text("agent"), "The agent of its tasks"),
  expects: optional(
    Options.choice("expects", ["output", "nothing"]),
    "output: a run with an empty or unchanged result counts as failed"
  ),
  maxCost: optional(
    Options.text("max-cost").pipe(Options.withSchema(Cost), Options.withPseudoName("amount")),
    "What each of its tasks may cost, or none"
  )
}

type Given<A> = { readonly [Name in keyof A]: A[Name] extends Options.Options<infer Value> ? Value : never }

const fieldsOf = ({ agent, at, channel, every, expects, maxCost, timezone }: Given<typeof plan>) => ({
  ...Option.match(agent, { onNone: () => ({}), onSome: (agent) => ({ agent }) }),
  ...Option.match(expects, {
    onNone: () => ({}),
    onSome: (expects) => ({ expects: expects === "output" ? expects : null })
  }),
  ...Option.match(maxCost, { onNone: () => ({}), onSome: (max_cost) => ({ max_cost }) }),
  ...Option.match(at, { onNone: () => ({}), onSome: (at) => ({ at }) }),
  ...Option.match(every, { onNone: () => ({}), onSome: (every) => ({ every }) }),
  ...Option.match(timezone, { onNone: () => ({}), onSome: (timezone) => ({ timezone }) }),
  ...Option.match(channel, { onNone: () => ({}), onSome: (channel_id) => ({ channel_id }) })
})

const add = Command.make(
  "add",
  {
    ...connection,
    user: userOption,
    ...plan,
    reminder: Options.boolean("reminder").pipe(Options.withDescription("Notify me, instead of making a task")),
    message: Args.text({ name: "message" }).pipe(
      Args.withDescription("What the agent should do, or the text of the reminder"),
      Args.atLeast(1)
    )
  },
  (given) =>
    Effect.gen(function*() {
      if (Option.isSome(given.at) === Option.isSome(given.every)) {
        return yield* wrongUsage("Give either --at or --every.")
      }
      const message = yield* textOf(given.message)
      const made = yield* call(({ schedules }) =>
        schedules.create({
          payload: {
            message,
            kind: given.reminder ? "reminder" : "task",
            ...fieldsOf(given),
            ...Option.match(given.user, { onNone: () => ({}), onSome: (user_id) => ({ user_id }) })
          }
        })
      )
      yield* show(made, given.json, "Scheduled. Next runs:")
    })
).pipe(forService("Schedules a task or a reminder"))

const id = Args.text({ name: "schedule" }).pipe(Args.withDescription("Id of the schedule, or the beginning of it"))

const edit = Command.make(
  "change",
  {
    ...connection,
    ...plan,
    id,
    message: Args.text({ name: "message" }).pipe(Args.withDescription("The new message"), Args.repeated)
  },
  (given) =>
    Effect.gen(function*() {
      const message = given.message.length === 0 ? undefined : yield* textOf(given.message)
      const id = yield* scheduleIdOf(given.id)
      const changed = yield* call(({ schedules }) =>
        schedules.change({
          path: { schedule_id: segment(id) },
          payload: { ...(message === undefined ? {} : { message }), ...fieldsOf(given) }
        })
      )
      yield* show(changed, given.json, "Changed. Next runs:")
    })
).pipe(forService("Changes the time, the message or the limits of a schedule"))

const changes = {
  pause: { done: "Paused.", description: "Stops the runs until it is resumed" },
  resume: { done: "Resumed. Next runs:", description: "Continues with the next run from now on" },
  run: { done: "It ran.", description: "Runs it now, in addition to its plan" }
} as const

const change = (name: keyof typeof changes) =>
  Command.make(name, { ...connection, id }, ({ id: given, json }) =>
    Effect.gen(function*() {
      const id = yield* scheduleIdOf(given)
      const changed = yield* call(({ schedules }) => schedules[name]({ path: { schedule_id: segment(id) } }))
      const { last_task_id: task } = changed
      yield* show(changed, json, name === "run" && task !== null ? `It ran as task ${task}.` : changes[name].done)
    })).pipe(
      forService(changes[name].description)
    )

const remove = Command.make(
  "delete",
  { ...connection, id },
  ({ id: given, json }) =>
    Effect.gen(function*() {
      const id = yield* scheduleIdOf(given)
      yield* call(({ schedules }) => schedules.remove({ path: { schedule_id: segment(id) } }))
      yield* writeDone({ deleted: [id] }, { json, note: "Deleted." })
    })
).pipe(forService("Deletes a schedule; its tasks and reminders stay"))

export const schedules = Command.make(
  "schedules",
  { ...connection, user: userOption },
  ({ json, user }) =>
    call((client) => client.schedules.list({ urlParams: { limit: 1000, user_id: Option.getOrUndefined(user) } })).pipe(
      Effect.flatMap((found) => writeList(found, { json, table: scheduleTable, none: "No schedules." }))
    )
).pipe(
  forService("Lists the schedules, newest first; adds, changes, pauses, resumes, runs and deletes them"),
  Command.withSubcommands([add, edit, change("pause"), change("resume"), change("run"), remove])
)
