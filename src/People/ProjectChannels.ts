import { ChatChannelId } from "@troupe/domain/Channel"
import type { UserId } from "@troupe/domain/Ids"
import { Context, Duration, Effect, Layer, Option, Schema } from "effect"
import { makeExpiringCache } from "../Runtime/ExpiringCache.ts"
import { ChannelMessageRepo } from "./ChannelMessageRepo.ts"
import { ChannelRepo } from "./ChannelRepo.ts"
import { MembershipRepo } from "./MembershipRepo.ts"

/** Its texts come from outside. */
export interface ProjectChannel {
  readonly name: string
  readonly summary: string | null
  readonly pending: ReadonlyArray<{ readonly from: string; readonly at: string; readonly text: string }>
  readonly members: ReadonlyArray<{
    readonly name: string
    readonly role: string | null
    readonly responsibilities: string | null
  }>
}

const isChannelId = Schema.is(ChatChannelId)

const maxPending = 40

const maxMembers = 50

export class ProjectChannels extends Context.Tag("troupe/People/ProjectChannels")<ProjectChannels, {
  /** Null for a project without a channel, and for one that the reader may not see. Never fails. */
  readonly find: (projectId: string, reader: UserId) => Effect.Effect<ProjectChannel | null>
}>() {
  /** `isolatesUsers`: agents see a private channel only in tasks of its members, of the owner and of admins. */
  static readonly layer = (
    options: { readonly isolatesUsers: boolean }
  ): Layer.Layer<ProjectChannels, never, ChannelMessageRepo | ChannelRepo | MembershipRepo> =>
    Layer.effect(
      this,
      Effect.gen(function*() {
        const channels = yield* ChannelRepo
        const memberships = yield* MembershipRepo
        const messages = yield* ChannelMessageRepo

        const read = Effect.fnUntraced(function*(projectId: string) {
          const found = yield* channels.findProject(projectId)
          if (Option.isNone(found)) return null
          const { channel_id, is_private, name, summary } = found.value
          const pending = yield* messages.newest(channel_id, maxPending)
          const members = yield* memberships.described(channel_id, maxMembers)
          const channel: ProjectChannel = {
            name,
            summary,
            members,
            pending: pending.map(({ author, content, said_at }) => ({ from: author, at: said_at, text: content }))
          }
          return { channel, id: channel_id, isPrivate: is_private }
        })
        const known = makeExpiringCache({ capacity: 256, timeToLive: Duration.seconds(5), lookup: read })

        const find = Effect.fn("ProjectChannels.find")(
          function*(projectId: string, reader: UserId) {
            const found = yield* known.get(projectId)
            if (found === null) return null
            const mayRead = !options.isolatesUsers || !found.isPrivate ||
              (yield* memberships.mayRead(found.id, reader))
            return mayRead ? found.channel : null
          },
          Effect.catchAllDefect((defect) =>
            Effect.as(
              Effect.logWarning("Could not load the channel of a project; agents work without it", defect),
              null
            )
          )
        )
        return ProjectChannels.of({
          // A channel's project has its id; for any other one there is no statement.
          find: (projectId, reader) => isChannelId(projectId) ? find(projectId, reader) : Effect.succeed(null)
        })
      })
    )

  static readonly layerNone: Layer.Layer<ProjectChannels> = Layer.succeed(this, { find: () => Effect.succeed(null) })
}
