import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as FileSystem from "@effect/platform/FileSystem"
import type { ApprovalDecision } from "@troupe/api/ApprovalsApi"
import { type Approval, ApprovalStatus } from "@troupe/domain/Approval"
import { JsonPointer } from "@troupe/domain/ArgumentTest"
import { GrantScope } from "@troupe/domain/Grant"
import { TaskId } from "@troupe/domain/Ids"
import type { Task } from "@troupe/domain/Task"
import { Effect, Either, Option, Schema } from "effect"
import { approvalsTable, namedRows, rowsOf, rowsText } from "./ApprovalText.ts"
import { connection, limitOption, optional } from "./Arguments.ts"
import { CommandFailed, wrongUsage } from "./CommandFailed.ts"
import { safeLine } from "./Format.ts"
import { namedTask, taskIdOf } from "./Ids.ts"
import { Screen, writeDone, writeList, writeResult } from "./Screen.ts"
import { call, forService } from "./Service.ts"

const taskArgument = Args.text({ name: "task" }).pipe(Args.withDescription("Id of the task, or the beginning of it"))

const rowsArgument = Args.text({ name: "row" }).pipe(
  Args.withDescription("Place of a call in the question, or its id; default: all calls that are open"),
  Args.repeated
)

/** The rows that are meant: those that are named, else all open ones. */
const chosenOf = (task: Task, words: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Approval>, CommandFailed> => {
  const rows = rowsOf(task)
  if (words.length > 0) {
    const found = namedRows(rows, words)
    return "rows" in found ? Effect.succeed(found.rows) : wrongUsage(
      `${
        safeLine(found.unknown)
      } names no call of the task, or more than one: write a place from 1 to ${rows.length}, or the id of a call.`
    )
  }
  const open = rows.filter(({ status }) => status === "open")
  return open.length > 0
    ? Effect.succeed(open)
    : new CommandFailed({ reason: "refused", message: "No call of the task waits for approval." })
}

/** Decides about the rows in one request, so that all decisions apply or none. */
const decide = (
  { json, rows: words, task: given }: {
    readonly json: boolean
    readonly rows: ReadonlyArray<string>
    readonly task: string
  },
  did: string,
  decisionOf: (
    rows: ReadonlyArray<Approval>
  ) => Effect.Effect<Omit<ApprovalDecision, "approval" | "tool_call_id">, CommandFailed, FileSystem.FileSystem>
) =>
  Effect.gen(function*() {
    const task = yield* namedTask(given)
    const rows = yield* chosenOf(task, words)
    const decision = yield* decisionOf(rows)
    const [first, ...rest] = rows.map(({ id, tool_call_id }): ApprovalDecision => ({
      tool_call_id,
      approval: id,
      ...decision
    }))
    if (first === undefined) return yield* wrongUsage("Name the calls by their places or ids.")
    const accepted = yield* call(({ approvals }) =>
      approvals.decide({ path: { task_id: task.id }, payload: { decisions: [first, ...rest] } })
    )
    const { program } = yield* Screen
    const open = rowsOf(accepted.task).filter(({ status }) => status === "open").length
    yield* writeDone(accepted.task, {
      json,
      note: `${did}: ${rows.map(({ tool }) => safeLine(tool, 60)).join(", ")}. ${
        open > 0
          ? `${open} more wait: ${program} approvals show ${task.id}`
          : `Watch the task: ${program} watch ${task.id}`
      }`
    })
  })

const Arguments = Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

const argumentsIn = (
  file: string
): Effect.Effect<Readonly<Record<string, unknown>>, CommandFailed, FileSystem.FileSystem> =>
  Effect.flatMap(FileSystem.FileSystem, (files) => files.readFileString(file)).pipe(
    Effect.mapError(() => wrongUsage(`The file ${safeLine(file)} can't be read.`)),
    Effect.flatMap((text) =>
      Either.mapLeft(
        Schema.decodeEither(Arguments)(text),
        () => wrongUsage(`The file ${safeLine(file)} must have the call's arguments as a JSON object.`)
      )
    )
  )

export const approve = Command.make(
  "approve",
  {
    ...connection,
    task: taskArgument,
    rows: rowsArgument,
    arguments: optional(
      Options.text("arguments").pipe(Options.withPseudoName("file")),
      "JSON file with other arguments, with which the only call is approved"
    ),
    remember: optional(
      Options.choice("remember", GrantScope.literals),
      "Equal calls need no approval any more: in this task, in runs of its schedule, or of its agent"
    ),
    same: Options.text("same").pipe(
      Options.withPseudoName("pointer"),
      Options.repeated,
      Options.withSchema(Schema.mutable(Schema.Array(JsonPointer))),
      Options.withDescription("With --remember: an argument that must stay as it is, such as /to; may be repeated")
    )
  },
  (given) =>
    decide(given, "Approved", (rows) =>
      Effect.gen(function*() {
        if (given.same.length > 0 && Option.isNone(given.remember)) {
          return yield* wrongUsage("--same is about what is remembered: add --remember task, schedule or agent.")
        }
        if (Option.isSome(given.arguments) && rows.length > 1) {
          return yield* wrongUsage("--arguments are those of one call: name it by its place or id.")
        }
        return {
          decision: "approve",
          ...(Option.isNone(given.arguments) ? {} : { arguments: yield* argumentsIn(given.arguments.value) }),
          ...(Option.isNone(given.remember) ? {} : { remember: { scope: given.remember.value, same: given.same } })
        }
      }))
).pipe(forService("Approves calls of a task that ask for it: those named, else all that are open"))

export const deny = Command.make(
  "deny",
  {
    ...connection,
    task: taskArgument,
    rows: rowsArgument,
    reason: optional(Options.text("reason"), "Why; the agent reads it")
  },
  (given) =>
    decide(given, "Denied", () =>
      Effect.succeed({
        decision: "deny",
        ...(Option.isNone(given.reason) ? {} : { reason: given.reason.value })
      }))
).pipe(forService("Denies calls of a task that ask for approval: those named, else all that are open"))

const show = Command.make(
  "show",
  { ...connection, task: taskArgument },
  ({ json, task }) =>
    Effect.flatMap(
      namedTask(task),
      (found) =>
        json
          ? Effect.flatMap(Screen, (screen) => screen.json(rowsOf(found)))
          : writeResult(found, { json, text: rowsText })
    )
).pipe(forService("Shows the calls that a task asks about, each with all of its arguments"))

export const approvals = Command.make(
  "approvals",
  {
    ...connection,
    status: Options.choice("status", [...ApprovalStatus.literals, "all"]).pipe(
      Options.withDefault("open"),
      Options.withDescription("Those with this status, or all; default: open")
    ),
    task: optional(Options.text("task"), "Only those of this task"),
    tool: optional(Options.text("tool"), "Only those of this tool"),
    limit: limitOption
  },
  ({ json, limit, status, task, tool }) =>
    Effect.gen(function*() {
      const task_id = yield* Effect.transposeMapOption(task, taskIdOf)
      const found = yield* call((client) =>
        client.approvals.list({
          urlParams: {
            limit,
            ...(status === "all" ? {} : { status }),
            ...(Option.isNone(task_id) ? {} : { task_id: TaskId.make(task_id.value) }),
            ...(Option.isNone(tool) ? {} : { tool: tool.value })
          }
        })
      )
      yield* writeList(found, {
        json,
        table: approvalsTable,
        none: status === "open" ? "No call waits for approval." : "No such approvals."
      })
    })
).pipe(
  forService("Lists the tool calls that wait for approval, newest first"),
  Command.withSubcommands([show])
)
