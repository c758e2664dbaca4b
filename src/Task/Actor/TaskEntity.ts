import * as ClusterSchema from "@effect/cluster/ClusterSchema"
import * as Entity from "@effect/cluster/Entity"
import * as EntityAddress from "@effect/cluster/EntityAddress"
import * as EntityId from "@effect/cluster/EntityId"
import * as Message from "@effect/cluster/Message"
import * as Sharding from "@effect/cluster/Sharding"
import * as Headers from "@effect/platform/Headers"
import * as Rpc from "@effect/rpc/Rpc"
import type * as RpcGroup from "@effect/rpc/RpcGroup"
import { Context, Effect, type Exit, Option, Schema } from "effect"
import { Claim } from "../Claim/Claims.ts"
import { shardGroup } from "../Claim/Shards.ts"

/** Settled: the task waits or is finished. Released: another run continues it. Fenced: another claim has it. */
export const RunEnd = Schema.Literal("settled", "released", "fenced")
export type RunEnd = typeof RunEnd.Type

/** A claim as the object that this process made: a delivery to another runner fails to decode. */
const HeldClaim = Schema.declare((input: unknown): input is Claim => input instanceof Claim)

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

type Call = RpcGroup.Rpcs<typeof TaskEntity.protocol>

/**
 * Calls to the entities of this runner. For a shard that it does not hold they fail at once, instead of waiting for its
 * owner.
 */
export const makeLocalEntities = Effect.map(
  Sharding.Sharding,
  (sharding) => {
    const call = <R extends Call>(
      { taskId }: Claim,
      tag: R["_tag"],
      payload: Rpc.Payload<R>,
      ended: (exit: Rpc.Exit<R>) => Effect.Effect<void>
    ) => {
      const entityId = EntityId.make(taskId)
      const shardId = sharding.getShardId(entityId, shardGroup)
      const address = new EntityAddress.EntityAddress(
        { shardId, entityType: TaskEntity.type, entityId },
        { disableValidation: true }
      )
      return withoutServices(Effect.flatMap(sharding.getSnowflake, (requestId) =>
        sharding.send(
          new Message.IncomingRequest<R>({
            envelope: { _tag: "Request", requestId, address, tag, payload, headers: Headers.empty },
            lastSentReply: Option.none(),
            respond: ({ reply }) => reply._tag === "WithExit" ? ended(reply.exit) : Effect.void
          })
        )))
    }
    return {
      /** Begins a run. `ended` runs once for each run that was begun. */
      wake: (claim: Claim, ended: (exit: Exit.Exit<RunEnd>) => Effect.Effect<void>) =>
        call<Rpc.ExtractTag<Call, "Wake">>(claim, "Wake", claim, ended),
      interrupt: (claim: Claim) => call<Rpc.ExtractTag<Call, "Interrupt">>(claim, "Interrupt", claim, () => Effect.void)
    }
  }
)

/** An entity copies the services of its caller several times; it needs none of them. */
const withoutServices = <A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.mapInputContext(call, () => Context.empty())
