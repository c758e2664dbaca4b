import { isChatChannelId } from "@troupe/domain/Channel"
import { fileNameOf } from "@troupe/domain/FileName"
import type { UserId } from "@troupe/domain/Ids"
import { oneLine } from "@troupe/domain/Text"
import { Context, Duration, Effect, Either, Layer, Option } from "effect"
import { realpath } from "node:fs/promises"
import { join } from "node:path"
import { ChatPlatform } from "../../Chat/ChatPlatform.ts"
import { plainText } from "../../Chat/ChatText.ts"
import { makeExpiringCache } from "../../Runtime/Cache.ts"
import { ChannelMessages, type PendingMessage } from "./ChannelMessages.ts"
import { Channels } from "./Channels.ts"
import { type DescribedMember, Memberships } from "./Memberships.ts"

export interface Project {
  readonly id: string
  readonly name: string
  /** With all symbolic links resolved; null if there is none, and for a project whose channel the reader may not see. */
  readonly folder: string | null
  /** Null for a project without a channel, and for one that the reader may not see. */
  readonly channel: ProjectChannel | null
}

/** Its texts come from outside. */
export interface ProjectChannel {
  readonly name: string
  /** What the platform says that the channel is about, as one line each; empty: nothing. */
  readonly topic: string
  readonly purpose: string
  readonly summary: string | null
  /** The summary has words of somebody who is not of the team. */
  readonly isSummaryOutside: boolean
  readonly pending: ReadonlyArray<PendingMessage>
  readonly members: ReadonlyArray<DescribedMember>
}

const maxPending = 40

const maxMembers = 50

const cached = { capacity: 256, timeToLive: Duration.seconds(5) }

export class Projects extends Context.Tag("troupe/People/Channel/Projects")<Projects, {
  /** As the reader may see it. Never fails: an unknown project has only its id. */
  readonly find: (id: string, reader: UserId) => Effect.Effect<Project>
}>() {
  /** `isolatesUsers`: agents see a private channel only in tasks of its members, of the owner and of admins. */
  static readonly layer = (
    options: { readonly root: string; readonly isolatesUsers: boolean }
  ): Layer.Layer<Projects, never, ChannelMessages | Channels | ChatPlatform | Memberships> =>
    Layer.effect(
      this,
      Effect.gen(function*() {
        const channels = yield* Channels
        const memberships = yield* Memberships
        const messages = yield* ChannelMessages
        const { read } = yield* ChatPlatform
        const aboutOf = (text: string) => oneLine(plainText(read(text), () => null), maxAbout)

        const readChannel = Effect.fnUntraced(function*(projectId: string) {
          const found = yield* channels.findProject(projectId)
          if (Option.isNone(found)) return null
          const { channel_id, is_private, name, purpose, summary, topic } = found.value
          const pending = yield* messages.newest({ channel: channel_id, count: maxPending })
          const isSummaryOutside = summary !== null
            && Option.exists(yield* messages.summary(channel_id), ({ is_summary_outside }) => is_summary_outside)
          const members = yield* memberships.described({ id: channel_id, limit: maxMembers })
          const channel: ProjectChannel = {
            name,
            topic: aboutOf(topic),
            purpose: aboutOf(purpose),
            summary,
            isSummaryOutside,
            pending,
            members
          }
          return { channel, id: channel_id, isPrivate: is_private }
        })
        const folders = makeExpiringCache({ ...cached, lookup: (id: string) => folderOf(options.root, id) })
        const known = makeExpiringCache({ ...cached, lookup: readChannel })

        const findChannel = Effect.fn("Projects.findChannel")(
          function*(projectId: string, reader: UserId) {
            const found = yield* known.get(projectId)
            if (found === null) return { channel: null, mayRead: true }
            const mayRead = !options.isolatesUsers || !found.isPrivate ||
              (yield* memberships.mayRead(found.id, reader))
            return { channel: mayRead ? found.channel : null, mayRead }
          },
          Effect.catchAllDefect((defect) =>
            Effect.as(
              Effect.logWarning("Could not load the channel of a project; agents work without it", defect),
              { channel: null, mayRead: !options.isolatesUsers }
            )
          )
        )
        return Projects.of({
          find: (id, reader) =>
            Effect.zipWith(
              folders.get(id),
              // A channel's project has its id; for any other one there is no statement.
              isChatChannelId(id) ? findChannel(id, reader) : Effect.succeed({ channel: null, mayRead: true }),
              (folder, { channel, mayRead }) => ({
                id,
                name: channel?.name ?? id,
                folder: mayRead ? folder : null,
                channel
              })
            )
        })
      })
    )
}

/** More than the platform's own limit of 250 characters, as links and mentions become longer. */
const maxAbout = 500

/** Null for an id that is not a file name or leads out of the root. */
const folderOf = (root: string, id: string): Effect.Effect<string | null> => {
  const name = Either.getOrNull(fileNameOf(id))
  if (name === null || name !== id) return Effect.succeed(null)
  return Effect.tryPromise(() => Promise.all([realpath(root), realpath(join(root, name))])).pipe(
    Effect.map(([top, folder]) => folder === join(top, name) ? folder : null),
    Effect.orElseSucceed(() => null)
  )
}
