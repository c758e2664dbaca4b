import { type Caller, selfHostedCaller } from "@troupe/domain/Caller"
import { isUserId, UserId } from "@troupe/domain/Ids"
import type { Role, User } from "@troupe/domain/User"
import { Context, Effect, Layer, Option } from "effect"
import { createHash } from "node:crypto"
import { UserRepo } from "../User/UserRepo.ts"
import { Users } from "../User/Users.ts"
import { TeamRepo } from "./TeamRepo.ts"

export interface Sender {
  readonly id: UserId
  readonly role: Role
  /** False if the address is known only from mails, or of a guest of the chat platform. */
  readonly isKnown: boolean
  /** Whose rights requests of this sender have. */
  readonly caller: Caller
}

/** Finds the user of a sender's address, in lower case. */
export class Senders extends Context.Tag("troupe/People/Team/Senders")<Senders, {
  readonly find: (address: string) => Effect.Effect<Option.Option<Sender>>
  /** A user for an address that nobody has; none where only members of the team may write. */
  readonly create: Option.Option<(address: string, name: string) => Effect.Effect<Sender>>
  /** Whether everyone may continue a finished task; else only its creator or assignee. */
  readonly mayContinue: boolean
}>() {
  /**
   * The user with the address in the profile, else a new one. Self-hosted, profiles are trusted: an address that
   * somebody entered, or is in the chat platform's profile of a person who is not a guest, is known.
   */
  static readonly layer: Layer.Layer<Senders, never, UserRepo | Users> = Layer.effect(
    this,
    Effect.gen(function*() {
      const repo = yield* UserRepo
      const users = yield* Users
      const find = (address: string) => Effect.map(repo.findByEmail(address), Option.map(senderOf))
      const unaddressed = (seed: string, address: string): Effect.Effect<User> =>
        Effect.flatMap(Effect.orDie(users.existing(idOf(seed))), (user) => {
          const isFormer = user.overrides.includes("email") ||
            (user.email !== null && user.email.toLowerCase() !== address)
          return isFormer ? unaddressed(`${seed} ${user.email}`, address) : Effect.succeed(user)
        })
      return Senders.of({
        find,
        create: Option.some(Effect.fnUntraced(function*(address, name) {
          // The user with this id may have another address by now: the former one may be somebody else's.
          const { email, id, name: known } = yield* unaddressed(address, address)
          const user = yield* repo.sync(id, {
            ...(email === null ? { email: address } : {}),
            ...(known === id && name !== "" ? { name: name.slice(0, 200) } : {})
          })
          return Option.match(user, {
            onNone: () => ({ id, role: "member", isKnown: false, caller: selfHostedCaller }),
            onSome: senderOf
          })
        })),
        mayContinue: false
      })
    })
  )

  /** Members of the team by the address of their invitation, with which they have signed in; no profile counts. */
  static readonly layerTeam: Layer.Layer<Senders, never, TeamRepo> = Layer.effect(
    this,
    Effect.map(TeamRepo, (repo) =>
      Senders.of({
        find: (address) =>
          Effect.map(repo.findByEmail(address), Option.map((seat) => ({ ...seat, isKnown: true, caller: seat }))),
        create: Option.none(),
        mayContinue: true
      }))
  )
}

/** `findByEmail` does not find a guest whose address nobody entered. */
const senderOf = ({ chat_user_id, id, overrides, role }: User): Sender => ({
  id,
  role,
  isKnown: chat_user_id !== null || overrides.includes("email"),
  caller: selfHostedCaller
})

const idOf = (address: string): UserId =>
  isUserId(address)
    ? address
    : UserId.make(`mail-${createHash("sha256").update(address).digest("hex").slice(0, 24)}`)
