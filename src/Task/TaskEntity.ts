import { Entity } from "@effect/cluster"
import { Rpc } from "@effect/rpc"
import { Schema } from "effect"

/**
 * A task's actor as other processes reach it: the runner that holds the task's shard answers. The actor's mailbox is
 * the inbox table and its memory the journal; these calls only carry what may be lost. None may be annotated
 * Persisted: there is no message storage, and such a call would vanish.
 */
export const TaskEntity = Entity.make("Task", [
  Rpc.make("Status", { success: Schema.Struct({ epoch: Schema.NullOr(Schema.Int) }) }),
  Rpc.make("Watch", { success: Schema.String, stream: true })
])
