import type { TaskId } from "@troupe/domain/Ids"
import { Effect, Fiber, Stream } from "effect"
import type { Claim } from "../Claim/Claims.ts"
import type { RunEnd } from "./ActorState.ts"
import type { TaskActor } from "./TaskActor.ts"
import { makeTextHubs } from "./TextHub.ts"

/** The actors of one shard. Its scope is the entity's request `Supervise`, with which all of them end. */
export class Supervisor {
  readonly shard: number
  /** The model's text of the shard's tasks. */
  readonly texts = makeTextHubs()
  readonly #actors = new Map<TaskId, TaskActor>()
  readonly #ended = Effect.unsafeMakeLatch(false)
  #state: "made" | "open" | "closing" = "made"
  #isHandedOver = false

  constructor(shard: number) {
    this.shard = shard
  }

  get isOpen(): boolean {
    return this.#state === "open"
  }

  get isClosing(): boolean {
    return this.#state === "closing"
  }

  /** Of the actors that run. */
  get claims(): ReadonlyArray<Claim> {
    return Array.from(this.#actors.values(), ({ claim }) => claim)
  }

  get interruptAll(): Effect.Effect<void> {
    return Effect.suspend(() =>
      Fiber.interruptAll(Array.from(this.#actors.values()).flatMap(({ fiber }) => fiber ?? []))
    )
  }

  /** Lasts until the supervisor was closed and its last actor has ended, or all were handed over; its interruption interrupts them. */
  get supervision(): Effect.Effect<void> {
    return Effect.acquireUseRelease(
      Effect.sync(() => {
        this.#ended.unsafeClose()
        this.#state = "open"
        this.#isHandedOver = false
      }),
      () => this.#ended.await,
      () =>
        Effect.suspend(() => {
          this.close()
          return this.#isHandedOver ? Effect.void : this.interruptAll
        })
    )
  }

  /** Begins a run. A second one of a task is released at once, and any one while the supervisor is not open. */
  begin(claim: Claim, make: (ended: (end: RunEnd) => void) => TaskActor, ended: (end: RunEnd) => void): void {
    if (!this.isOpen || this.#actors.has(claim.taskId)) return ended("released")
    const actor = make((end) => {
      this.#actors.delete(claim.taskId)
      this.texts.forget(claim.taskId)
      this.#endIfIdle()
      ended(end)
    })
    this.#actors.set(claim.taskId, actor)
    actor.begin()
  }

  /** The model's text of a task, until the supervisor closes. A stream that began later would delay the end of the entity. */
  watch(taskId: TaskId): Stream.Stream<string> {
    return this.#state === "closing" ? Stream.empty : this.texts.watch(taskId)
  }

  interrupt({ epoch, taskId }: Claim): void {
    const actor = this.#actors.get(taskId)
    if (actor?.claim.epoch === epoch) actor.interrupt()
  }

  /** No more runs begin, those that run end after their step, and watching ends. */
  close(): void {
    this.#state = "closing"
    this.texts.end()
    this.#endIfIdle()
  }

  /** The entity may end before the actors, whose tasks nobody else claims. */
  handOver(): void {
    this.#isHandedOver = true
    this.#ended.unsafeOpen()
  }

  #endIfIdle(): void {
    if (this.#state === "closing" && this.#actors.size === 0) this.#ended.unsafeOpen()
  }
}
