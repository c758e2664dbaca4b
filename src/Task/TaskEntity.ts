import { ClusterSchema, Entity } from "@effect/cluster"
import { Rpc } from "@effect/rpc"
import { Schema } from "effect"
import { Claim } from "./Claims.ts"

/** How a run of the loop ended: the task waits or is over, it was let go for another run, or taken from the actor. */
export const RunEnd = Schema.Literal("settled", "handed_over", "fenced")
export type RunEnd = typeof RunEnd.Type

export const ActorStatus = Schema.Struct({ active: Schema.Boolean, epoch: Schema.NullOr(Schema.Int) })
export type ActorStatus = typeof ActorStatus.Type

/**
 * A task's actor. Its mailbox is the inbox table and its memory the journal; these calls only carry what may be lost.
 * `Wake` is the loop itself, so its caller hears how the run ended. None may be annotated Persisted: there is no
 * message storage, and such a call would vanish.
 */
export const TaskEntity = Entity.make("Task", [
  Rpc.make("Wake", { payload: { claim: Claim }, success: RunEnd }).annotate(ClusterSchema.Uninterruptible, true),
  Rpc.make("Interrupt").annotate(ClusterSchema.Uninterruptible, true),
  Rpc.make("Status", { success: ActorStatus }),
  Rpc.make("Watch", { success: Schema.String, stream: true })
])
