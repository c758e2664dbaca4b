import * as ClusterSchema from "@effect/cluster/ClusterSchema"
import * as Entity from "@effect/cluster/Entity"
import * as Rpc from "@effect/rpc/Rpc"
import { Schema } from "effect"
import { Claim } from "./Claims.ts"

/** Settled: the task waits or is finished. Released: another run continues it. Fenced: another claim has it. */
export const RunEnd = Schema.Literal("settled", "released", "fenced")
export type RunEnd = typeof RunEnd.Type

/** A claim as the object that this process made: a delivery to another runner fails to decode. */
export const HeldClaim = Schema.declare((input: unknown): input is Claim => input instanceof Claim)

/**
 * Its mailbox is the inbox table, its memory the journal. No call may be Persisted: without message storage it would be
 * lost.
 */
export const TaskEntity = Entity.make("Task", [
  Rpc.make("Wake", { payload: HeldClaim, success: RunEnd }).annotate(ClusterSchema.Uninterruptible, true),
  Rpc.make("Interrupt", { payload: HeldClaim }),
  /** The model's text as it comes; the only call from another process. */
  Rpc.make("Watch", { success: Schema.String, stream: true })
])
