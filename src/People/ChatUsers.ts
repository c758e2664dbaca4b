import { UserId } from "@troupe/domain/Ids"
import { timeZoneOf } from "@troupe/domain/User"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { v7 } from "uuid"
import { asService } from "../Runtime/Isolation.ts"
import type { ChatUser } from "../Wire/ChatPlatform.ts"
import { ChatUserRepo, type PlatformUser } from "./ChatUserRepo.ts"

/** Maps people of the chat platform to users. */
export class ChatUsers extends Context.Tag("troupe/People/ChatUsers")<ChatUsers, {
  readonly find: (chatUserId: string) => Effect.Effect<Option.Option<UserId>>
  readonly unknown: (chatUserIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>>
  /** The user of a person, written with the platform's profile and created if need be; none for a bot and for a deactivated account. */
  readonly write: (person: ChatUser) => Effect.Effect<Option.Option<UserId>>
  /** A whole page in one transaction: people are written, and deactivated ones leave all channels. Bots are none. */
  readonly writeAll: (people: ReadonlyArray<ChatUser>) => Effect.Effect<void>
}>() {
  static readonly layer: Layer.Layer<ChatUsers, never, ChatUserRepo> = Layer.effect(
    this,
    Effect.map(ChatUserRepo, (repo) => {
      const write = Effect.fnUntraced(function*(people: ReadonlyArray<ChatUser>) {
        const msecs = yield* Clock.currentTimeMillis
        const active = people.filter(({ isBot, isDeactivated }) => !isBot && !isDeactivated)
        return yield* repo.write(
          active.map((person) => platformUser(person, UserId.make(v7({ msecs })))),
          people.flatMap(({ id, isDeactivated }) => isDeactivated ? [id] : [])
        )
      }, asService)
      return ChatUsers.of({
        find: (id) => asService(repo.find(id)),
        unknown: Effect.fn("ChatUsers.unknown")(function*(ids: ReadonlyArray<string>) {
          const known = new Set(yield* repo.known(ids))
          return ids.filter((id) => !known.has(id))
        }, asService),
        write: Effect.fn("ChatUsers.write")((person: ChatUser) =>
          Effect.map(write([person]), ([user]) => Option.map(Option.fromNullable(user), ({ id }) => id))
        ),
        writeAll: Effect.fn("ChatUsers.writeAll")((people: ReadonlyArray<ChatUser>) => Effect.asVoid(write(people)))
      })
    })
  )
}

const maxName = 200
const cut = (text: string | null, length = maxName): string | null => text === null ? null : text.slice(0, length)

const platformUser = (person: ChatUser, id: UserId): PlatformUser => ({
  id,
  chat_user_id: person.id,
  name: cut(person.realName ?? person.name),
  display_name: cut(person.displayName),
  email: person.email !== null && person.email.length <= 254 ? person.email : null,
  title: cut(person.title),
  timezone: Option.getOrNull(
    Option.filter(Option.fromNullable(person.timezone), (name) => Option.isSome(timeZoneOf(name)))
  ),
  avatar_url: cut(person.avatarUrl, 2_000)
})
