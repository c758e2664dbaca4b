import type { StepsQuery } from "@troupe/api/TaskStepsApi"
import { NotAllowed } from "@troupe/domain/Caller"
import type { TaskId } from "@troupe/domain/Ids"
import { replay } from "@troupe/domain/Replay"
import type { JournalledStep } from "@troupe/domain/Step"
import type { Task, TaskNotFound } from "@troupe/domain/Task"
import { type StepContext, StepNotFound, type TaskStep } from "@troupe/domain/TaskStep"
import { maxListedText, outlineOfStep, viewOfStep } from "@troupe/domain/TaskStepView"
import { Array, Context, Effect, Layer, Option, Stream } from "effect"
import { asService, readFor, statementCaller } from "../../Runtime/Database/Isolation.ts"
import { type Page, type PageRequest, readPage } from "../../Runtime/Database/Page.ts"
import { prepared, PreparedStatements } from "../../Runtime/Database/PreparedStatements.ts"
import { openingRun } from "../Journal/FirstMessage.ts"
import { readPromptTexts } from "../Journal/PromptTexts.ts"
import { sentContext } from "../Read/SentContext.ts"
import { maxPiece, readSteps, stepRows } from "../Read/StepPieces.ts"
import { TaskRepo } from "../Read/TaskRepo.ts"
import { stepColumns, type TaskRow } from "../Row/TaskRow.ts"
import { maySeeContent } from "../Row/TaskView.ts"
import { Tasks } from "./Tasks.ts"

/** One line of an export. */
export type ExportedLine = { readonly task: Task } | { readonly step: TaskStep }

/** The journal of a task, read by people: its steps, and what the model saw at one of them. */
export class TaskSteps extends Context.Tag("troupe/Task/UseCase/TaskSteps")<TaskSteps, {
  /** From the newest on. Without a right to the task's content, steps have no texts. */
  readonly list: (id: TaskId, query: StepsQuery) => Effect.Effect<Page<TaskStep>, TaskNotFound>
  readonly find: (id: TaskId, seq: string) => Effect.Effect<TaskStep, TaskNotFound | StepNotFound>
  readonly context: (id: TaskId, seq: string) => Effect.Effect<StepContext, TaskNotFound | StepNotFound | NotAllowed>
  /** The task as it is now, then its steps; read piece by piece, however long the journal is. */
  readonly export: (id: TaskId) => Effect.Effect<Stream.Stream<ExportedLine>, TaskNotFound | NotAllowed>
}>() {
  static readonly layer: Layer.Layer<TaskSteps, never, PreparedStatements | TaskRepo | Tasks> = Layer.effect(
    this,
    Effect.gen(function*() {
      const { execute } = yield* PreparedStatements
      const { findRow, findWhole } = yield* TaskRepo
      const tasks = yield* Tasks

      const readable = (id: TaskId) =>
        Effect.zipWith(
          findRow(id),
          statementCaller,
          (row, reader) => ({ row, isReadable: maySeeContent(reader, row) })
        )
      /** Row-level security keeps the steps from a reader of the outline. */
      const allowing = (isReadable: boolean) => isReadable ? <A, E, R>(read: Effect.Effect<A, E, R>) => read : asService

      const readableRow = (id: TaskId, what: string): Effect.Effect<TaskRow, TaskNotFound | NotAllowed> =>
        Effect.flatMap(readable(id), ({ isReadable, row }) =>
          isReadable
            ? Effect.succeed(row)
            : new NotAllowed({
              reason: `Only its creator, its assignee, an owner or an admin may ${what} task ${id}.`
            }))

      const stepAt = (id: TaskId, text: string): Effect.Effect<JournalledStep, StepNotFound> =>
        Effect.flatMap(
          /^\d{1,9}$/.test(text)
            ? stepRows(execute(readBefore({ task: id, after: Number(text) - 1, before: Number(text) + 1, limit: 1 })))
            : Effect.succeed([]),
          ([step]) => step === undefined ? new StepNotFound({ task_id: id, seq: text }) : Effect.succeed(step)
        )

      return TaskSteps.of({
        list: (id, { after = 0, cursor, limit }) =>
          Effect.flatMap(readable(id), ({ isReadable }) => {
            const read = (page: PageRequest<number>) =>
              allowing(isReadable)(
                stepRows(
                  execute(readBefore({
                    task: id,
                    after,
                    before: Option.getOrElse(page.cursor, () => maxSeq),
                    limit: page.limit
                  }))
                )
              ).pipe(
                Effect.map(Array.map((step) => isReadable ? viewOfStep(step, maxListedText) : outlineOfStep(step)))
              )
            return Effect.orDie(
              readPage({ cursor, limit }, { read, positionOf: ({ seq }) => seq, entriesAtOnce: maxPiece })
            )
          }),
        find: (id, seq) =>
          Effect.flatMap(readable(id), ({ isReadable }) =>
            Effect.map(
              allowing(isReadable)(stepAt(id, seq)),
              (step) => isReadable ? viewOfStep(step) : outlineOfStep(step)
            )),
        context: (id, seq) =>
          Effect.gen(function*() {
            yield* readableRow(id, "read the conversation of")
            const { step } = yield* stepAt(id, seq)
            if (step.kind !== "model" && step.kind !== "compacted") {
              return yield* new StepNotFound({ task_id: id, seq: `${seq} of the model` })
            }
            const { row, steps } = yield* findWhole(id)
            const last = step.kind === "model" ? Number(seq) - 1 : Number(seq)
            const before = steps.filter((one) => one.seq <= last).map((one) => one.step)
            return yield* sentContext(
              row,
              yield* statementCaller,
              replay(openingRun(row.description, row), before),
              steps.filter((one) => one.seq <= Number(seq)),
              // The texts are those of all tasks; who may read this one's steps may read the texts in its prompts.
              (numbers) => asService(readPromptTexts(execute, numbers))
            )
          }),
        export: (id) =>
          Effect.gen(function*() {
            yield* readableRow(id, "export")
            const task = yield* tasks.find(id)
            const steps = Stream.map(readSteps(execute, id), (step) => ({ step: viewOfStep(step) }))
            return Stream.concat(Stream.succeed({ task }), readFor(yield* statementCaller, steps))
          })
      })
    })
  )
}

const maxSeq = 2_147_483_647

const readBefore = prepared(
  "steps_read_before",
  ["task", "after", "before", "limit"],
  `select ${stepColumns} from steps
where task_id = $task::uuid and seq > $after::integer and seq < $before::integer order by seq desc limit $limit::integer`
)
