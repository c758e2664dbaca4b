import { TaskId, UserId } from "@troupe/domain/Ids"
import { advance } from "@troupe/domain/Replay"
import { emptyRun } from "@troupe/domain/Run"
import type { Step } from "@troupe/domain/Step"
import { statusOf } from "@troupe/domain/TaskOutcome"
import { inStatus, type TaskState } from "@troupe/domain/TaskState"
import { DateTime, Effect } from "effect"
import { v7 } from "uuid"
import { type Claim, Claims } from "../../src/Task/Claim/Claims.ts"
import { Journal } from "../../src/Task/Journal/Journal.ts"
import type { StepWrite } from "../../src/Task/Journal/StepWrite.ts"
import { Shards } from "../../src/Task/Row/Shards.ts"
import { type TaskRequest, Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { sampleRequest } from "./Samples.ts"
import { call } from "./ScriptedModel.ts"
import { Wire } from "./TaskWorld.ts"

export const alice = UserId.make("alice")
export const bob = UserId.make("bob")

export const request = (message: string, more: Partial<TaskRequest> = {}): TaskRequest =>
  sampleRequest(message, { user_id: alice, ...more })

/** A task of this user that is due now. */
export const givenTask = (message = "Do it", userId: UserId = alice): Effect.Effect<TaskId, never, Tasks> =>
  Effect.flatMap(Tasks, (tasks) => tasks.submit(request(message, { user_id: userId }))).pipe(
    Effect.map(({ id }) => id),
    Effect.orDie
  )

/** A subtask of a task, in some status. */
export const givenSubtask = (parent: TaskId, status = "pending"): Effect.Effect<TaskId, never, Shards | Wire> =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    const shards = yield* Shards
    const now = yield* DateTime.now
    const id = TaskId.make(v7())
    yield* query(
      `insert into tasks (id, created_at, creator, title, description, task_type, agent_type, parent_task_id)
       values ($1, $2, $3, 'Part', 'A part', 'subtask', 'general', $4)`,
      [id, DateTime.formatIso(now), alice, parent]
    )
    yield* query(
      "insert into actors (task_id, shard, creator, updated_at, wake_at, status) values ($1, $2, $3, now(), date_trunc('milliseconds', now()), $4)",
      [id, shards.of(id), alice, status]
    )
    return id
  })

/** Claims this task and no other; it must be due. */
export const claim = (id: TaskId): Effect.Effect<Claim, never, Claims | Wire> =>
  Effect.gen(function*() {
    const claims = yield* Claims
    const { query } = yield* Wire
    const others = yield* query<{ readonly task_id: TaskId }>("select task_id from actors where task_id <> $1", [id])
    const active = new Map(others.map(({ task_id }) => [task_id, "nobody"]))
    const { claims: [taken] } = yield* Effect.orDie(claims.take({
      asked: 1,
      perUser: 1,
      after: "",
      active,
      suspects: { most: 1, isFirst: true, isAlone: true }
    }))
    return taken ?? (yield* Effect.dieMessage(`Task ${id} was not claimed`))
  })

/** As when a process was killed and starts again under the same address: what it held is older than the new process. */
export const processRestarted: Effect.Effect<void, never, Wire> = Effect.flatMap(
  Wire,
  ({ query }) => query("update actors set updated_at = updated_at - interval '1 day' where runner is not null")
)

/** Of no task: the journal looks up the right one. */
const nobody: Claim["audience"] = {
  creator: "",
  assignee: null,
  assigned_by_answer: false,
  reply_channel: null,
  reply_to: null,
  counts_replies: false,
  people: []
}

/** A step that a claim's actor is to write next. The state of the task follows from it, unless the test says otherwise. */
export const stepAfter = (
  { audience = nobody, epoch, seq, taskId, type }:
    & Pick<Claim, "epoch" | "seq" | "taskId" | "type">
    & Partial<Pick<Claim, "audience">>,
  step: Step,
  over: Partial<StepWrite> = {}
): StepWrite => {
  const status = statusOf({ seq, at: "", step }) ?? "running"
  return {
    taskId,
    epoch,
    seq: seq + 1,
    step,
    state: { ...inStatus(type, status), ...factsOf(step) },
    run: advance(emptyRun("Do it"), step),
    progress: 10,
    wake: { _tag: status === "running" ? "Keep" : "Park" },
    attempts: 1,
    inboxSeen: 0,
    consumed: [],
    audience,
    ...over
  }
}

const factsOf = (step: Step): Partial<TaskState> => {
  if (step.kind === "failed") return { error: step.error }
  return step.kind === "results" && step.asked !== undefined
    ? { question: step.asked.question, lastToolCallId: step.asked.id }
    : {}
}

/** Claims the task, and writes a step of it. */
export const takeStep = (id: TaskId, step: Step, over: Partial<StepWrite> = {}) =>
  Effect.gen(function*() {
    const journal = yield* Journal
    yield* journal.append(stepAfter(yield* claim(id), step, over))
  })

/** The task ends with an answer, and with files in the user's folder. */
export const completes = (id: TaskId, content: string, files: ReadonlyArray<string> = []) =>
  takeStep(id, {
    kind: "model",
    message: { role: "assistant", content, tool_calls: [] },
    tokens: [10, 5],
    millis: 1,
    end: "answered",
    ...(files.length === 0 ? {} : { files: files.map((filename) => ({ filename, size: 1 })) })
  }, { progress: 100, attempts: 0 })

/** A task that asked a human by the call `ask1` and waits for the answer. */
export const givenWaiting = (question = "Which one?") =>
  Effect.gen(function*() {
    const id = yield* givenTask()
    yield* takeStep(id, {
      kind: "model",
      message: { role: "assistant", content: "", tool_calls: [call("ask1", "ask_human", { question })] },
      tokens: [10, 5],
      millis: 1
    }, {
      state: { ...inStatus("task", "waiting_input"), question, lastToolCallId: "ask1" },
      wake: { _tag: "Park" },
      attempts: 0
    })
    return id
  })

/** A task that ended with an answer. */
export const givenCompleted = (message = "Do it", answer = "Done.") =>
  Effect.tap(givenTask(message), (id) => completes(id, answer))
