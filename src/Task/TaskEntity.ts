import * as ClusterSchema from "@effect/cluster/ClusterSchema"
import * as Entity from "@effect/cluster/Entity"
import * as Rpc from "@effect/rpc/Rpc"
import { Schema } from "effect"
import { Claim } from "./Claims.ts"

/**
 * How a run of a task's loop ended: the task waits or is over, the claim is to be released for another run, or another
 * claim has the task.
 */
export const RunEnd = Schema.Literal("settled", "released", "fenced")
export type RunEnd = typeof RunEnd.Type

/** A claim as the object that this process made: a delivery to another runner fails to decode. */
export const HeldClaim = Schema.declare((input: unknown): input is Claim => input instanceof Claim)

/**
 * The actor of a task, on the runner that holds the task's shard. Its mailbox is the inbox table and its memory the
 * journal. No call may be annotated Persisted: there is no message storage, and it would be lost.
 */
export const TaskEntity = Entity.make("Task", [
  Rpc.make("Wake", { payload: HeldClaim, success: RunEnd }).annotate(ClusterSchema.Uninterruptible, true),
  /** Ends a loop that runs under this claim in the middle of its step. */
  Rpc.make("Interrupt", { payload: HeldClaim }),
  /** The model's text as it comes; the only call from another process. */
  Rpc.make("Watch", { success: Schema.String, stream: true })
])
