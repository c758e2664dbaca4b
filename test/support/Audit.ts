import { assert } from "@effect/vitest"
import type { ToolMessage } from "@troupe/domain/Message"
import { Step } from "@troupe/domain/Step"
import { outputsOf } from "@troupe/domain/TaskOutcome"
import { Array as Arrays, Effect, type Redacted, Schema } from "effect"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { query } from "./Database.ts"
import { answerOf, callsPerTurn, lineOf, linesFile, type LineTask, parseCallId } from "./LineModel.ts"

/** A task that was accepted, with the lines that it must write. */
export interface Accepted extends LineTask {
  readonly id: string
}

const ActorRow = Schema.Struct({
  task_id: Schema.String,
  epoch: Schema.Int,
  seq: Schema.Int,
  status: Schema.String,
  progress: Schema.Int,
  model_calls: Schema.Int,
  tool_calls: Schema.Int,
  wake_at: Schema.Null,
  completed_at: Schema.DateFromSelf,
  error: Schema.Null
})
type ActorRow = typeof ActorRow.Type

const StepRow = Schema.Struct({
  task_id: Schema.String,
  seq: Schema.Int,
  at: Schema.DateFromSelf,
  body: Schema.parseJson(Step)
})
type StepRow = typeof StepRow.Type

export const steps = (url: Redacted.Redacted): Effect.Effect<ReadonlyArray<StepRow>> =>
  query(url, "select task_id, seq, at, body from steps order by task_id, seq").pipe(
    Effect.flatMap(Schema.decodeUnknown(Schema.Array(StepRow))),
    Effect.orDie
  )

/** What may differ between correct runs. */
export interface Findings {
  /** Claims after a crash or the end of a process. */
  readonly recoveries: number
  /** Calls whose result says that they may have taken place. */
  readonly uncertain: number
}

/**
 * Reads the whole database and the sandboxes once all tasks are finished, and asserts what must hold whatever was killed
 * meanwhile: every accepted task is there once and completed with its answer, nothing was done twice, nothing is left
 * over. `labels` has the label of the model that the runner of each address asks, which shows that no step comes from a
 * runner that had lost the task.
 */
export const audit = (options: {
  readonly url: Redacted.Redacted
  readonly storage: string
  readonly accepted: ReadonlyArray<Accepted>
  readonly labels: Readonly<Record<string, string>>
}): Effect.Effect<Findings> =>
  Effect.gen(function*() {
    const { accepted, labels, storage, url } = options
    const names = (rows: ReadonlyArray<{ readonly id: string }>) => rows.map(({ id }) => id).sort()
    const tasks = yield* query<{ id: string }>(url, "select id::text from tasks")
    assert.deepStrictEqual(names(tasks), names(accepted), "the tasks are those that were accepted, each once")

    const notifications = yield* query<{ id: string }>(url, "select task_id::text as id from notifications")
    assert.deepStrictEqual(names(notifications), names(accepted), "each completed task has one notification")

    const orphaned = yield* query(url, orphanedRows)
    assert.deepStrictEqual(orphaned, [], "no row without its task, no task without its actor, no command left over")

    const actors = yield* query(url, "select * from actors").pipe(
      Effect.flatMap(Schema.decodeUnknown(Schema.Array(ActorRow))),
      Effect.orDie
    )
    const journal = Arrays.groupBy(yield* steps(url), ({ task_id }) => task_id)
    const lines = yield* writtenLines(storage)
    const wrong: Array<string> = []
    let recoveries = 0
    let uncertain = 0
    for (const task of accepted) {
      const actor = actors.find(({ task_id }) => task_id === task.id)
      const history = journal[task.id] ?? []
      if (actor === undefined) continue
      const found = [...mistakes(task, actor, history, labels), ...effects(task, history, lines)]
      wrong.push(...found.map((mistake) => `${task.name} (${task.id}): ${mistake}`))
      recoveries += history.filter(({ body }) => body.kind === "woken" && body.reason === "recovery").length
      uncertain += resultsOf(history).filter(isUncertain).length
    }
    assert.deepStrictEqual(wrong, [], "every task was carried out once")
    const expected = new Set(
      accepted.flatMap(({ name, turns }) => Array.from({ length: turns }, (_, turn) => lineOf(name, turn)))
    )
    assert.deepStrictEqual([...lines.keys()].filter((line) => !expected.has(line)), [], "nothing else was written")
    return { recoveries, uncertain }
  })

const orphanedRows = `
select 'tasks' as source, id from tasks where id not in (select task_id from actors)
union all select 'actors', task_id from actors where task_id not in (select id from tasks)
union all select 'steps', task_id from steps where task_id not in (select id from tasks)
union all select 'inbox', i.task_id from inbox i left join actors a using (task_id)
  where a.status is null or a.status in ('completed', 'failed')`

/** How often each line is in the files of all users. */
const writtenLines = (storage: string): Effect.Effect<ReadonlyMap<string, number>> =>
  Effect.promise(async () => {
    const counts = new Map<string, number>()
    for (const user of await readdir(storage).catch(() => [])) {
      const text = await readFile(join(storage, user, linesFile), "utf8").catch(() => "")
      for (const line of text.split("\n").filter((line) => line !== "")) counts.set(line, (counts.get(line) ?? 0) + 1)
    }
    return counts
  })

const resultsOf = (history: ReadonlyArray<StepRow>): ReadonlyArray<ToolMessage> =>
  history.flatMap(({ body }) => (body.kind === "results" ? body.results.map(({ message }) => message) : []))

const isUncertain = ({ content }: ToolMessage) => content.startsWith("Error: uncertain")

/** What is wrong with the journal of a task and with its actor. */
const mistakes = (
  task: Accepted,
  actor: ActorRow,
  history: ReadonlyArray<StepRow>,
  labels: Readonly<Record<string, string>>
): ReadonlyArray<string> => {
  const wrong: Array<string> = []
  const expect = (what: string, actual: unknown, expected: unknown) => {
    const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)]
    if (is !== should) wrong.push(`${what} should be ${should} and is ${is}`)
  }
  const models = history.flatMap(({ body }) => (body.kind === "model" ? [body] : []))
  const woken = history.flatMap(({ body }) => (body.kind === "woken" ? [body] : []))
  const calls = models.flatMap(({ message }) => message.tool_calls)
  const results = resultsOf(history)
  expect("the status", [actor.status, actor.progress], ["completed", 100])
  expect("the numbers of the steps", history.map(({ seq }) => seq), history.map((_, index) => index + 1))
  expect("the actor's last step", actor.seq, history.length)
  expect("the epochs", woken.map(({ epoch }) => epoch), woken.map((_, index) => index + 1))
  expect("the actor's epoch", actor.epoch, woken.length)
  expect("the turns", calls.map(({ id }) => parseCallId(id)?.turn), eachTurn(task.turns))
  expect("the calls answered", results.map((result) => result.tool_call_id).sort(), calls.map(({ id }) => id).sort())
  expect("the model's steps", [models.length, actor.model_calls], [task.turns + 1, task.turns + 1])
  expect("the tool calls", actor.tool_calls, task.turns * callsPerTurn)
  expect("the outputs", history.flatMap((row) => outputsOf(journalled(row)).map(({ content }) => content)), [
    answerOf(task)
  ])
  expect("the last step", models.at(-1) === history.at(-1)?.body, true)
  let runner = ""
  for (const { body, seq } of history) {
    if (body.kind === "woken") runner = body.runner
    if (body.kind !== "model") continue
    for (const { id } of body.message.tool_calls) {
      expect(`the writer of step ${seq}, when ${runner} had the task,`, parseCallId(id)?.label, labels[runner])
    }
  }
  return wrong
}

const eachTurn = (turns: number) =>
  Array.from({ length: turns * callsPerTurn }, (_, at) => Math.floor(at / callsPerTurn))

const journalled = ({ at, body, seq }: StepRow) => ({ seq, at: at.toISOString(), step: body })

/** What is wrong with the lines of a task: one reported as added must be there once, an uncertain one at most once. */
const effects = (
  { turns }: LineTask,
  history: ReadonlyArray<StepRow>,
  lines: ReadonlyMap<string, number>
): ReadonlyArray<string> =>
  resultsOf(history).filter(({ name }) => name === "write_file").flatMap((result) => {
    const call = parseCallId(result.tool_call_id)
    if (call === null || call.turn >= turns) return [`nobody asked for ${result.tool_call_id}`]
    const line = lineOf(call.name, call.turn)
    const count = lines.get(line) ?? 0
    const isRight = isUncertain(result) ? count <= 1 : result.content.startsWith("Added to ") && count === 1
    return isRight ? [] : [`the line ${line} is there ${count} times, and the call's result is: ${result.content}`]
  })
