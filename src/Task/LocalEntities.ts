import type * as ClusterError from "@effect/cluster/ClusterError"
import * as EntityAddress from "@effect/cluster/EntityAddress"
import * as EntityId from "@effect/cluster/EntityId"
import * as Message from "@effect/cluster/Message"
import * as Sharding from "@effect/cluster/Sharding"
import * as Headers from "@effect/platform/Headers"
import type * as Rpc from "@effect/rpc/Rpc"
import type * as RpcGroup from "@effect/rpc/RpcGroup"
import { Context, Effect, type Exit, Option } from "effect"
import type { Claim } from "./Claims.ts"
import { shardGroup } from "./Shards.ts"
import { type RunEnd, TaskEntity } from "./TaskEntity.ts"

type Call = RpcGroup.Rpcs<typeof TaskEntity.protocol>

type Unsent =
  | ClusterError.EntityNotAssignedToRunner
  | ClusterError.MailboxFull
  | ClusterError.AlreadyProcessingMessage

/**
 * Calls to the entities of this runner. For a shard that it does not hold they fail at once, instead of waiting for its
 * owner.
 */
export interface LocalEntities {
  /** Begins a run. `ended` runs once for each run that was begun. */
  readonly wake: (claim: Claim, ended: (exit: Exit.Exit<RunEnd>) => Effect.Effect<void>) => Effect.Effect<void, Unsent>
  readonly interrupt: (claim: Claim) => Effect.Effect<void, Unsent>
}

export const makeLocalEntities: Effect.Effect<LocalEntities, never, Sharding.Sharding> = Effect.map(
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
      wake: (claim, ended) => call<Rpc.ExtractTag<Call, "Wake">>(claim, "Wake", claim, ended),
      interrupt: (claim) => call<Rpc.ExtractTag<Call, "Interrupt">>(claim, "Interrupt", claim, () => Effect.void)
    }
  }
)

/** An entity copies the services of its caller several times; it needs none of them. */
const withoutServices = <A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.mapInputContext(call, () => Context.empty())
