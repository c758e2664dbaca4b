import {
  type ChannelNotFound,
  ChannelRecordId,
  type ChatChannelId,
  ChatNotConfigured,
  isChatChannelId,
  type SyncReport
} from "@troupe/domain/Channel"
import { Chunk, Clock, Context, Duration, Effect, Fiber, Layer, Option, Schedule, Stream } from "effect"
import { v7 } from "uuid"
import { type ChatChannel, type ChatFailed, chatFailed, type ChatPage, ChatPlatform } from "../../Chat/ChatPlatform.ts"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { ChatUsers } from "../User/ChatUsers.ts"
import { channelIdOf, Channels, type PlatformChannel } from "./Channels.ts"
import { Memberships } from "./Memberships.ts"

const timeout = Duration.minutes(10)

/** Channels whose members are read at the same time, and unknown members. */
const concurrency = 4

const maxErrors = 100

/** Members of a channel that are asked for one by one, because no list of users had them. */
const maxUnknown = 200

/** Copies users, channels and memberships from the chat platform. It never writes overrides. */
export class ChannelSync extends Context.Tag("troupe/People/Channel/ChannelSync")<ChannelSync, {
  /**
   * Each page is one transaction. Failures are listed and change nothing; unless all channels were listed, none is
   * deactivated. Concurrent callers share one sync.
   */
  readonly syncAll: Effect.Effect<SyncReport, ChatNotConfigured>
  /** One channel without its members: what its tasks need. */
  readonly openChannel: (id: string) => Effect.Effect<void, ChannelNotFound | ChatFailed | ChatNotConfigured>
  /** One channel with its members. */
  readonly syncChannel: (id: string) => Effect.Effect<SyncReport, ChannelNotFound | ChatNotConfigured>
}>() {
  static readonly layer = (options: {
    /** Before the first retry of a call. */
    readonly pause?: Duration.DurationInput
  } = {}): Layer.Layer<ChannelSync, never, Channels | ChatPlatform | ChatUsers | Memberships> =>
    Layer.scoped(
      this,
      Effect.gen(function*() {
        const platform = yield* ChatPlatform
        const users = yield* ChatUsers
        const channels = yield* Channels
        const memberships = yield* Memberships
        const scope = yield* Effect.scope
        const { directory } = platform
        const notConfigured = new ChatNotConfigured()
        if (directory === null) {
          const none = () => notConfigured
          return ChannelSync.of({ openChannel: none, syncAll: notConfigured, syncChannel: none })
        }
        const retrying = retryingWith(options.pause ?? "500 millis")

        const writeChannels = Effect.fnUntraced(function*(found: ReadonlyArray<ChatChannel>, progress: Progress) {
          const msecs = yield* Clock.currentTimeMillis
          progress.wrote(found.length, yield* channels.write(found.flatMap((one) => platformChannel(one, msecs))))
        })

        const syncUsers = (progress: Progress) =>
          pagesOf((cursor) => retrying(directory.users(cursor))).pipe(
            Stream.runForEach(users.writeAll),
            Effect.as(true),
            Effect.catchAll((failure) => Effect.as(progress.failed("users", failure), false))
          )

        const syncChannels = Effect.fnUntraced(function*(progress: Progress) {
          const since = yield* channels.now
          return yield* pagesOf((cursor) => retrying(directory.channels(cursor))).pipe(
            Stream.runForEach((page) => writeChannels(page, progress)),
            Effect.zipRight(channels.deactivateUnlisted(since)),
            Effect.map((count) => {
              progress.wrote(0, { created: 0, updated: 0, deactivated: count })
              return true
            }),
            Effect.catchAll((failure) => Effect.as(progress.failed("channels", failure), false))
          )
        })

        const addUnknown = (chatUserId: string, progress: Progress) =>
          retrying(platform.findUser(chatUserId)).pipe(
            Effect.flatMap((person) => person.isDeactivated ? Effect.void : users.write(person)),
            Effect.catchAll((failure) => progress.failed(`users/${chatUserId}`, failure))
          )

        const syncMembers = (id: ChatChannelId, progress: Progress, asksForUnknown: boolean) =>
          Effect.gen(function*() {
            const pages = yield* Stream.runCollect(pagesOf((cursor) => retrying(directory.members(id, cursor))))
            const members = Chunk.toReadonlyArray(pages).flat()
            if (asksForUnknown) {
              const unknown = (yield* users.unknown(members)).slice(0, maxUnknown)
              yield* Effect.forEach(unknown, (one) => addUnknown(one, progress), { concurrency, discard: true })
            }
            yield* memberships.replace(id, { platform: platform.id, accounts: members })
            yield* channels.openProject(id)
          }).pipe(Effect.catchAll((failure) => progress.failed(`channels/${id}/members`, failure)))

        const limited = (progress: Progress, work: Effect.Effect<void>): Effect.Effect<SyncReport> =>
          work.pipe(
            Effect.timeoutTo({
              duration: timeout,
              onSuccess: () => Effect.void,
              onTimeout: () => progress.add("", `The sync was stopped after ${Duration.format(timeout)}.`)
            }),
            Effect.flatten,
            Effect.zipRight(progress.report)
          )

        const all = Effect.gen(function*() {
          const progress = makeProgress()
          return yield* limited(
            progress,
            Effect.gen(function*() {
              const lists = yield* Effect.all([syncUsers(progress), syncChannels(progress)], { concurrency: 2 })
              // An unavailable platform would fail for each channel, too.
              if (!lists.includes(true)) return
              const joined = yield* channels.joined
              yield* Effect.forEach(joined, (id) => syncMembers(id, progress, false), { concurrency, discard: true })
            })
          )
        }).pipe(asService, Effect.withSpan("ChannelSync.all"))

        let running: Fiber.Fiber<SyncReport> | null = null
        const shared = Effect.suspend(() => {
          if (running !== null) return Effect.succeed(running)
          return Effect.tap(Effect.forkIn(all, scope), (fiber) =>
            Effect.sync(() => {
              running = fiber
              fiber.addObserver(() => (running = null))
            }))
        }).pipe(Effect.uninterruptible, Effect.flatMap(Fiber.join))

        const one = Effect.fnUntraced(function*(id: ChatChannelId) {
          const progress = makeProgress()
          const found = yield* Effect.either(retrying(directory.channel(id)))
          if (found._tag === "Right") {
            yield* writeChannels([found.right], progress)
            return yield* limited(progress, found.right.isArchived ? Effect.void : syncMembers(id, progress, true))
          }
          if (found.left.about !== "channel") yield* progress.failed(`channels/${id}`, found.left)
          else {
            yield* channels.find(id)
            progress.wrote(1, { created: 0, updated: 0, deactivated: (yield* channels.deactivate(id)) ? 1 : 0 })
          }
          return yield* progress.report
        }, asService)

        const open = Effect.fnUntraced(function*(id: ChatChannelId) {
          yield* writeChannels([yield* directory.channel(id)], makeProgress())
          yield* channels.openProject(id)
        }, asService)

        return ChannelSync.of({
          openChannel: Effect.fn("ChannelSync.openChannel")((id: string) => Effect.flatMap(channelIdOf(id), open)),
          syncAll: shared,
          syncChannel: Effect.fn("ChannelSync.syncChannel")((id: string) => Effect.flatMap(channelIdOf(id), one))
        })
      })
    )
}

/** What is no channel by its id (a direct message of several people has one of its own) is left out. */
const platformChannel = (channel: ChatChannel, msecs: number): ReadonlyArray<PlatformChannel> =>
  isChatChannelId(channel.id)
    ? [{
      id: ChannelRecordId.make(v7({ msecs })),
      channel_id: channel.id,
      name: channel.name.slice(0, 200),
      topic: channel.topic.slice(0, 2_000),
      purpose: channel.purpose.slice(0, 2_000),
      is_private: channel.isPrivate,
      is_active: !channel.isArchived,
      is_member: channel.isMember && !channel.isArchived,
      member_count: channel.memberCount
    }]
    : []

type Progress = ReturnType<typeof makeProgress>

const makeProgress = () => {
  const counts = { synced: 0, created: 0, updated: 0, deactivated: 0 }
  const errors: Array<SyncReport["errors"][number]> = []
  const add = (path: string, message: string) =>
    Effect.sync(() => {
      if (errors.length < maxErrors) errors.push({ path, message })
    })
  return {
    add,
    failed: (path: string, { message }: ChatFailed) => add(path, message),
    wrote: (synced: number, { created, deactivated, updated }: Omit<typeof counts, "synced">): void => {
      counts.synced += synced
      counts.created += created
      counts.updated += updated
      counts.deactivated += deactivated
    },
    report: Effect.sync((): SyncReport => ({ ...counts, errors: [...errors] }))
  }
}

const maxRetries = 5
const maxPause = Duration.minutes(2)

const maxPages = 2_000

const isTransient = ({ kind }: ChatFailed) => kind === "rate_limited" || kind === "unavailable"

/**
 * Retries a call that changes nothing while the platform is busy. The pause doubles each time, unless the platform asks
 * for another.
 */
export const retryingWith = (firstPause: Duration.DurationInput) => {
  const pauseOf = ({ retryAfter }: ChatFailed, retries: number) =>
    Option.getOrElse(retryAfter, () => Duration.times(firstPause, 2 ** retries))
  const schedule = Schedule.identity<ChatFailed>().pipe(
    Schedule.intersect(Schedule.recurs(maxRetries)),
    Schedule.addDelay(([failure, retries]) => Duration.min(pauseOf(failure, retries), maxPause))
  )
  return <A>(call: Effect.Effect<A, ChatFailed>): Effect.Effect<A, ChatFailed> =>
    Effect.retry(call, { schedule, while: isTransient })
}

/** All pages of a list, reading ahead. A list without an end fails. */
export const pagesOf = <A>(
  page: (cursor: string | null) => Effect.Effect<ChatPage<A>, ChatFailed>
): Stream.Stream<ReadonlyArray<A>, ChatFailed> => {
  const first: { readonly cursor: string | null; readonly count: number } = { cursor: null, count: 1 }
  return Stream.paginateEffect(first, ({ count, cursor }) =>
    Effect.flatMap(page(cursor), ({ items, next }) => {
      if (next === null) return Effect.succeed([items, Option.none()] as const)
      return count < maxPages && next !== cursor
        ? Effect.succeed([items, Option.some({ cursor: next, count: count + 1 })] as const)
        : Effect.fail(chatFailed("refused", "The chat platform's list did not end within the limit of pages."))
    })).pipe(Stream.buffer({ capacity: 2 }))
}
