import {
  type ChannelMembership,
  type ChannelNotFound,
  ChatChannelId,
  type MembershipChanges,
  MembershipNotFound
} from "@troupe/domain/Channel"
import type { UserId } from "@troupe/domain/Ids"
import type { UserPosition } from "@troupe/domain/User"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { asService } from "../Runtime/Isolation.ts"
import { Channels } from "./Channels.ts"
import { MembershipRepo } from "./MembershipRepo.ts"

const isChannelId = Schema.is(ChatChannelId)

/** Whoever sees a channel sees its members. */
export class Memberships extends Context.Tag("troupe/People/Memberships")<Memberships, {
  readonly list: (
    channel: string,
    page: { readonly limit: number; readonly cursor: Option.Option<UserPosition> }
  ) => Effect.Effect<ReadonlyArray<ChannelMembership>, ChannelNotFound>
  /** The user is named by our id or by the platform's. */
  readonly change: (
    channel: string,
    user: string,
    changes: MembershipChanges
  ) => Effect.Effect<ChannelMembership, ChannelNotFound | MembershipNotFound>
  /** Does nothing for an unknown channel; again, neither. */
  readonly add: (channel: string, user: UserId) => Effect.Effect<void>
  readonly remove: (channel: string, user: UserId) => Effect.Effect<void>
}>() {
  static readonly layer: Layer.Layer<Memberships, never, Channels | MembershipRepo> = Layer.effect(
    this,
    Effect.gen(function*() {
      const channels = yield* Channels
      const repo = yield* MembershipRepo
      const ifChannel = (id: string, use: (id: ChatChannelId) => Effect.Effect<void>) =>
        isChannelId(id) ? asService(use(id)) : Effect.void
      return Memberships.of({
        list: (id, { cursor, limit }) =>
          Effect.flatMap(
            channels.find(id),
            ({ channel_id }) => asService(repo.list(channel_id, limit, cursor))
          ),
        change: (id, user_id, changes) =>
          channels.find(id).pipe(
            Effect.flatMap(({ channel_id }) => repo.change(channel_id, user_id, changes)),
            Effect.flatMap(Option.match({
              onNone: () => new MembershipNotFound({ channel_id: id, user_id }),
              onSome: Effect.succeed
            }))
          ),
        add: (id, user) => ifChannel(id, (channel) => repo.add(channel, user)),
        remove: (id, user) => ifChannel(id, (channel) => repo.remove(channel, user))
      })
    })
  )
}
