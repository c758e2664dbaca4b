import * as Entity from "@effect/cluster/Entity"
import * as Sharding from "@effect/cluster/Sharding"
import { Context, Duration, Effect, Layer, Schedule, Scope } from "effect"
import { AgentLoop } from "../../Agent/AgentLoop.ts"
import type { PreparedStatements } from "../../Runtime/Database/PreparedStatements.ts"
import { bareRuntime } from "../../Runtime/HotPath.ts"
import type { Claim } from "../Claim/Claims.ts"
import { makeInbox } from "../Journal/Inbox.ts"
import { Journal } from "../Journal/Journal.ts"
import { makePromptTexts } from "../Journal/PromptTexts.ts"
import { makeSubtasks } from "../Journal/Subtasks.ts"
import { Draining } from "../Row/Draining.ts"
import { Shards } from "../Row/Shards.ts"
import type { RunEnd } from "./ActorState.ts"
import type { ActorSettings } from "./RunJournal.ts"
import { Supervisor } from "./Supervisor.ts"
import { type ActorServices, TaskActor } from "./TaskActor.ts"
import { makeSupervise, TaskShard } from "./TaskShard.ts"

export interface RunObserver {
  /** Called once for each run. */
  readonly ended: (end: RunEnd) => void
  /** Called at each progress of a task that counts process deaths. */
  readonly progressed: () => void
}

/**
 * The actors of the tasks that this process has claimed, under the supervisors of their shards. To begin a run takes a
 * look-up and a fiber; only the first of a shard sends a message to its entity.
 */
export class TaskActors extends Context.Tag("troupe/Task/Actor/TaskActors")<TaskActors, {
  /** A run that can't begin here is released. */
  readonly begin: (claim: Claim, observer: RunObserver) => Effect.Effect<void>
  /** Interrupts the model and tool calls of this claim's run, which writes nothing more. */
  readonly interrupt: (claim: Claim) => void
}>() {
  static readonly layer = (settings: ActorSettings): Layer.Layer<
    TaskActors,
    never,
    Sharding.Sharding | AgentLoop | Draining | Journal | PreparedStatements | Shards
  > => Layer.scoped(this, make(settings))
}

/** How soon a supervisor learns that its shard was lost: the library waits for it before it releases the lock. */
const lostShardsInterval = Duration.millis(250)

const make = Effect.fnUntraced(function*(settings: ActorSettings) {
  const { registerEntity } = yield* Sharding.Sharding
  const shards = yield* Shards
  const draining = yield* Draining
  const supervise = yield* makeSupervise
  const services: ActorServices = {
    settings,
    shards,
    agentLoop: yield* AgentLoop,
    journal: yield* Journal,
    inbox: yield* makeInbox,
    subtasks: yield* makeSubtasks,
    promptTexts: yield* makePromptTexts,
    clock: yield* Effect.clock,
    runtime: yield* bareRuntime
  }
  const supervisors = new Map<number, Supervisor>()

  const build = Effect.gen(function*() {
    const { shardId: { id } } = yield* Entity.CurrentAddress
    const supervisor = yield* Effect.acquireRelease(
      Effect.sync(() => new Supervisor(id)),
      (supervisor) => Effect.sync(() => supervisors.get(id) === supervisor && supervisors.delete(id))
    )
    supervisors.set(id, supervisor)
    return TaskShard.of({
      Supervise: () => supervisor.supervision,
      Watch: ({ payload }) => supervisor.watch(payload.taskId)
    })
  })
  // Not `TaskShard.toLayer`: each entity would keep copies of all services of the process.
  const own = Context.make(Scope.Scope, yield* Effect.scope)
  const register: Effect.Effect<void> = Effect.mapInputContext(registerEntity(TaskShard, build, options), () => own)
  yield* register
  // Before the entities end, which wait for their supervision.
  yield* Effect.addFinalizer(() => Effect.sync(() => supervisors.forEach((supervisor) => supervisor.close())))

  const closeLost = Effect.sync(() => {
    for (const supervisor of supervisors.values()) {
      if (!shards.holds(supervisor.shard)) supervisor.close()
    }
  })
  yield* Effect.forkScoped(Effect.repeat(closeLost, Schedule.spaced(lostShardsInterval)))

  const beginIn = (supervisor: Supervisor, claim: Claim, { ended, progressed }: RunObserver) => {
    const { taskId, watchedMillis } = claim
    const watchedUntil = services.clock.unsafeCurrentTimeMillis() + watchedMillis
    const mayContinue = () => {
      supervisor.texts.forget(taskId)
      return !draining.isDraining() && supervisor.isOpen && shards.holds(supervisor.shard)
    }
    const onText = () => supervisor.texts.publisher(taskId, services.clock.unsafeCurrentTimeMillis() < watchedUntil)
    const make = (ended: (end: RunEnd) => void) =>
      new TaskActor(claim, services, { mayContinue, onText, progressed, ended })
    supervisor.begin(claim, make, ended)
  }

  return TaskActors.of({
    begin: (claim, observer) =>
      Effect.suspend(() => {
        const shard = shards.of(claim.taskId)
        const known = supervisors.get(shard)
        if (known?.isOpen === true) {
          beginIn(known, claim, observer)
          return Effect.void
        }
        return Effect.matchCauseEffect(supervise(shard), {
          onSuccess: () =>
            Effect.sync(() => {
              const supervisor = supervisors.get(shard)
              return supervisor === undefined ? observer.ended("released") : beginIn(supervisor, claim, observer)
            }),
          onFailure: (cause) =>
            Effect.zipRight(
              Effect.logDebug("Shard is not held here; task is released", cause),
              Effect.sync(() => observer.ended("released"))
            )
        })
      }),
    interrupt: (claim) => supervisors.get(shards.of(claim.taskId))?.interrupt(claim)
  })
})

const options = {
  // A supervision lasts as long as the shard is held, and a watch as long as its watcher.
  concurrency: "unbounded",
  mailboxCapacity: "unbounded",
  // The actors journal their crashes; after a defect of the supervisor itself the next claim supervises anew.
  disableFatalDefects: true
} as const
