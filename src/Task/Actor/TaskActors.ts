import * as Entity from "@effect/cluster/Entity"
import * as Sharding from "@effect/cluster/Sharding"
import { ShardingConfig } from "@effect/cluster/ShardingConfig"
import { Context, Duration, Effect, ExecutionStrategy, Exit, Layer, Schedule, Scope } from "effect"
import { AgentLoop } from "../../Agent/AgentLoop.ts"
import { PreparedStatements } from "../../Runtime/Database/PreparedStatements.ts"
import { bareRuntime } from "../../Runtime/HotPath.ts"
import { OnQuestionExpired } from "../../Tool/OnQuestionExpired.ts"
import type { Claim } from "../Claim/Claims.ts"
import { lease } from "../Claim/ClaimStatements.ts"
import { makeInbox } from "../Journal/Inbox.ts"
import { Journal } from "../Journal/Journal.ts"
import { makePromptTexts } from "../Journal/PromptTexts.ts"
import { makeSubtasks } from "../Journal/Subtasks.ts"
import { Draining } from "../Row/Draining.ts"
import { Shards } from "../Row/Shards.ts"
import type { RunEnd } from "./ActorState.ts"
import type { ActorSettings } from "./ActorState.ts"
import { Handover } from "./Handover.ts"
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
  /** Gives all shards to the other runners. The runs go on until the end of their steps, and no more can begin. */
  readonly leave: Effect.Effect<void>
}>() {
  static readonly layer = (settings: ActorSettings): Layer.Layer<
    TaskActors,
    never,
    Sharding.Sharding | ShardingConfig | AgentLoop | Draining | Journal | PreparedStatements | Shards
  > => Layer.scoped(this, make(settings))
}

/** How soon a supervisor learns that its shard was lost: the library waits for it before it releases the lock. */
const lostShardsInterval = Duration.millis(250)

/** How long a shutdown waits for the database before it ends without leases. */
const leaseTimeout = Duration.seconds(2)

const make = Effect.fnUntraced(function*(settings: ActorSettings) {
  const { registerEntity } = yield* Sharding.Sharding
  const { shardLockExpiration, shardLockRefreshInterval } = yield* ShardingConfig
  const database = yield* PreparedStatements
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
    runtime: yield* bareRuntime,
    questionExpired: yield* OnQuestionExpired
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
  const registration = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
  const own = Context.make(Scope.Scope, registration)
  const register: Effect.Effect<void> = Effect.mapInputContext(registerEntity(TaskShard, build, options), () => own)
  yield* register

  const handover = new Handover({
    renewalInterval: Duration.decode(shardLockRefreshInterval),
    lease: (claims) =>
      database.execute(lease({
        tasks: claims.map(({ taskId }) => taskId),
        epochs: claims.map(({ epoch }) => epoch),
        seconds: Duration.toSeconds(shardLockExpiration)
      }))
  })
  // Before the entities end, which wait for their supervision.
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      supervisors.forEach((supervisor) => supervisor.close())
      return handover.interruptAll
    })
  )

  const oneByOne = (yield* Effect.makeSemaphore(1)).withPermits(1)
  /** Closes the supervisors of these shards; what they still run is handed over. */
  const close = (isLost: (shard: number) => boolean, limit: Duration.Duration) =>
    oneByOne(Effect.suspend(() => {
      for (const supervisor of supervisors.values()) {
        if (isLost(supervisor.shard)) supervisor.close()
      }
      return handover.advance(Array.from(supervisors.values()).filter(({ isClosing }) => isClosing), limit)
    }))
  yield* close((shard) => !shards.holds(shard), settings.stepHandover).pipe(
    Effect.repeat(Schedule.spaced(lostShardsInterval)),
    Effect.forkScoped
  )

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
    interrupt: (claim) => {
      supervisors.get(shards.of(claim.taskId))?.interrupt(claim)
      handover.interrupt(claim)
    },
    // The caller limits the time. With the registration of its entities the library ends the one of the runner.
    leave: close(() => true, Duration.infinity).pipe(
      Effect.interruptible,
      Effect.timeoutOption(leaseTimeout),
      Effect.zipRight(Scope.close(registration, Exit.void))
    )
  })
})

const options = {
  // A supervision lasts as long as the shard is held, and a watch as long as its watcher.
  concurrency: "unbounded",
  mailboxCapacity: "unbounded",
  // The actors journal their crashes; after a defect of the supervisor itself the next claim supervises anew.
  disableFatalDefects: true
} as const
