import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { TaskId } from "@troupe/domain/Ids"
import { minTokenBudget } from "@troupe/domain/Task"
import { Effect, Option, Schedule, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { connection, optional, person, textOf, watchOption } from "./Arguments.ts"
import { CommandFailed, wrongUsage } from "./CommandFailed.ts"
import { safeLine } from "./Format.ts"
import { taskIdOf } from "./Ids.ts"
import { Screen } from "./Screen.ts"
import { call, forService } from "./Service.ts"
import { upload } from "./Transfers.ts"
import { watchUntilFinished } from "./WatchTask.ts"

const options = {
  watch: watchOption,
  files: Options.file("file", { exists: "yes" }).pipe(
    Options.repeated,
    Options.withDescription("A file to upload and attach; may be repeated")
  ),
  user: optional(person("user"), "The owner of the task, by id, address or name; default: you"),
  assignee: optional(person("assignee"), "Who answers the task's questions, by id, address or name"),
  title: optional(Options.text("title"), "Title; default: taken from the message"),
  agent: optional(Options.text("agent"), "The agent that works on it (troupe agents)"),
  project: optional(Options.text("project"), "Channel or project"),
  continued: optional(Options.text("continue"), "Id of the task that this one continues, or the beginning of it"),
  conversation: Options.boolean("conversation").pipe(
    Options.withDescription("With --continue: go on with the messages of that task, instead of what came of it")
  ),
  iterations: optional(
    Options.integer("max-iterations").pipe(
      Options.withSchema(Schema.Int.pipe(Schema.positive({ message: () => "at least 1" })))
    ),
    "Hard limit of iterations: how many rounds of model call and tool calls the task may take"
  ),
  cost: optional(
    Options.float("max-cost").pipe(
      Options.withSchema(Schema.Finite.pipe(Schema.positive({ message: () => "greater than 0" })))
    ),
    "What the task and its subtasks may cost, in the currency of the models' prices"
  ),
  budget: optional(
    Options.integer("max-tokens").pipe(
      Options.withSchema(
        Schema.Int.pipe(Schema.greaterThanOrEqualTo(minTokenBudget, { message: () => `at least ${minTokenBudget}` }))
      )
    ),
    `Token budget of the task and its subtasks, at least ${minTokenBudget}`
  )
}

const words = Args.text({ name: "message" }).pipe(
  Args.withDescription("What the agent should do; `-` or nothing: read from standard input"),
  Args.repeated
)

/** The words of the command line, with standard input in place of `-`. */
const messageOf = (words: ReadonlyArray<string>): Effect.Effect<string, CommandFailed, Screen> =>
  Effect.gen(function*() {
    const { input, isInteractive, note } = yield* Screen
    const given = yield* textOf(words.filter((word) => word !== "-"))
    if (words.length > 0 && !words.includes("-")) return given
    if (isInteractive) yield* note("Write the message, then press Ctrl-D on an empty line.\n")
    const read = (yield* input).trim()
    return [given, read].filter((part) => part !== "").join("\n\n")
  }).pipe(
    Effect.filterOrFail(
      (message) => message !== "",
      () => wrongUsage("The message is empty. Say what the agent should do.")
    )
  )

const isTaskId = Schema.is(TaskId)

const knownTask = (given: string) =>
  Effect.filterOrFail(
    taskIdOf(given),
    isTaskId,
    () => new CommandFailed({ reason: "refused", message: `There is no task ${safeLine(given)}.` })
  )

/** A request under an idempotency key of its own: sent again where it is not known if it arrived, it takes effect once. */
export const repeated = <A, R>(
  request: (headers: { readonly "idempotency-key": string }) => Effect.Effect<A, CommandFailed, R>
): Effect.Effect<A, CommandFailed, R> =>
  Effect.suspend(() =>
    Effect.retry(request({ "idempotency-key": randomUUID() }), {
      while: ({ reason }) => reason === "unavailable",
      schedule: Schedule.exponential("200 millis"),
      times: 2
    })
  )

export const submit = Command.make(
  "submit",
  { ...connection, ...options, words },
  (
    {
      agent,
      assignee,
      budget,
      continued,
      conversation,
      cost,
      files,
      iterations,
      json,
      project,
      title,
      user,
      watch,
      words
    }
  ) =>
    Effect.gen(function*() {
      const screen = yield* Screen
      const message = yield* messageOf(words)
      const attachments = yield* Effect.forEach(
        files,
        (path) => Effect.map(upload(path, { user }), (file) => file.path)
      )
      const continues = yield* Effect.transposeOption(Option.map(continued, knownTask))
      const payload = {
        message,
        ...(attachments.length === 0 ? {} : { attachments }),
        ...(Option.isSome(user) ? { user_id: user.value } : {}),
        ...(Option.isSome(assignee) ? { assignee: assignee.value } : {}),
        ...(Option.isSome(title) ? { title: title.value } : {}),
        ...(Option.isSome(agent) ? { agent: agent.value } : {}),
        ...(Option.isSome(project) ? { project_id: project.value } : {}),
        ...(Option.isSome(continues) ? { continue_task_id: continues.value } : {}),
        ...(conversation ? { continue_from: "conversation" as const } : {}),
        ...(Option.isSome(iterations) ? { max_iterations: iterations.value } : {}),
        ...(Option.isSome(cost) ? { max_cost: cost.value } : {}),
        ...(Option.isSome(budget) ? { max_tokens_total: budget.value } : {}),
        ...(watch ? { live: true } : {})
      }
      const { task } = yield* repeated((headers) => call(({ tasks }) => tasks.chat({ headers, payload })))
      if (!watch) {
        if (json) return yield* screen.json(task)
        yield* screen.write(`${task.id}\n`)
        return yield* screen.note(screen.notePaint.dim(`Submitted. Watch it: ${screen.program} watch ${task.id}\n`))
      }
      if (!json) {
        yield* screen.note(`${screen.notePaint.bold(safeLine(task.title))}  ${screen.notePaint.dim(task.id)}\n`)
      }
      yield* watchUntilFinished(task.id, json)
    })
).pipe(forService("Submits a task"))
