import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Prompt from "@effect/cli/Prompt"
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import type * as Terminal from "@effect/platform/Terminal"
import type { Task } from "@troupe/domain/Task"
import { Effect, Option, Schema } from "effect"
import { connection, textOf } from "./Arguments.ts"
import { CommandFailed, wrongUsage } from "./CommandFailed.ts"
import { questionText, safeLine } from "./Format.ts"
import { namedTask } from "./Ids.ts"
import { Screen, writeDone } from "./Screen.ts"
import { call, forService, type Service } from "./Service.ts"

/** What a prompt at the terminal needs. */
export type Asking = FileSystem.FileSystem | Path.Path | Terminal.Terminal

const Fields = Schema.Record({ key: Schema.String, value: Schema.Unknown })
type Fields = typeof Fields.Type

const quit = () => new CommandFailed({ reason: "interrupted", message: "Nothing was sent." })

/** To the question that was read with the task; a later question is refused. */
const send = ({ id, last_tool_call_id: asks }: Task, response: string, fields: Fields | null = null) =>
  call(({ tasks }) =>
    tasks.humanResponse({
      payload: {
        task_id: id,
        response,
        ...(fields === null ? {} : { fields }),
        ...(asks === null ? {} : { tool_call_id: asks })
      }
    })
  )

const showQuestion = (task: Task): Effect.Effect<void, never, Screen> =>
  Effect.flatMap(
    Screen,
    ({ note, notePaint }) => note(`${notePaint.yellow("?")} ${notePaint.bold(questionText(task))}\n`)
  )

/** Shows the question and reads a line. */
const ask = (task: Task): Effect.Effect<string, CommandFailed, Asking | Screen> =>
  Effect.gen(function*() {
    yield* showQuestion(task)
    return yield* Prompt.run(
      Prompt.text({
        message: "Answer",
        validate: (text) =>
          text.trim() === "" ? Effect.fail("An answer has at least one character.") : Effect.succeed(text)
      })
    ).pipe(Effect.mapError(quit))
  })

/** Asks for the answer to a task's question, and sends it. */
export const askAndSend = (
  task: Task
): Effect.Effect<void, CommandFailed, Asking | Screen | Service> =>
  Effect.flatMap(ask(task), (response) => send(task, response))

/** Chooses among the tasks that wait. */
const choose: Effect.Effect<Task, CommandFailed, Asking | Screen | Service> = Effect.gen(function*() {
  const waiting = yield* call(({ tasks }) => tasks.list({ urlParams: { status: "waiting_input", limit: 100 } }))
  const [first, ...rest] = waiting
  if (first === undefined) return yield* wrongUsage("No task waits for an answer.")
  if (rest.length === 0) return first
  return yield* Prompt.run(
    Prompt.select({
      message: "Which task?",
      choices: waiting.map((task) => ({
        title: `${safeLine(task.title, 40)}: ${safeLine(task.question ?? "", 60)}`,
        value: task
      }))
    })
  ).pipe(Effect.mapError(quit))
})

const taskId = Args.text({ name: "task" }).pipe(
  Args.withDescription("Id of the task, or the beginning of it; asked for if left out"),
  Args.optional
)
const fields = Options.text("fields").pipe(
  Options.withSchema(Schema.parseJson(Fields)),
  Options.withDescription("The fields of the question's form, as a JSON object; in place of an answer"),
  Options.optional
)
const words = Args.text({ name: "answer" }).pipe(
  Args.withDescription("The answer; asked for if left out, or read from standard input"),
  Args.repeated
)

export const answer = Command.make(
  "answer",
  { ...connection, fields, task: taskId, words },
  ({ fields, json, task, words }) =>
    Effect.gen(function*() {
      const screen = yield* Screen
      const isAsking = screen.isInteractive && !json
      if (Option.isNone(task) && !isAsking) {
        return yield* wrongUsage(`Say which task and what to answer: ${screen.program} answer <task> <answer>`)
      }
      const found = Option.isNone(task)
        ? yield* choose
        : yield* namedTask(task.value)
      const given = yield* textOf(words)
      const response = given !== "" || Option.isSome(fields)
        ? given
        : isAsking && found.status === "waiting_input"
        ? yield* ask(found)
        : (yield* screen.input).trim()
      if (response === "" && Option.isNone(fields)) {
        return yield* wrongUsage("The answer is empty. Give it after the task's id, or on standard input.")
      }
      // Without a prompt, the person sees only now what was answered.
      if (given !== "" && found.question !== null) yield* showQuestion(found)
      const accepted = yield* send(found, response, Option.getOrNull(fields))
      yield* writeDone(accepted.task, { json, note: `Answered. Watch the task: ${screen.program} watch ${found.id}` })
    })
).pipe(forService("Answers the question of a task that waits for input"))
