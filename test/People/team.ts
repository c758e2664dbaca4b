import { Unauthenticated } from "@troupe/domain/Caller"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import * as InvitationMailsLayer from "../../src/Delivery/InvitationMailsLayer.ts"
import { Outbox } from "../../src/Delivery/Outbox.ts"
import { AccessTokens } from "../../src/People/SignIn/AccessTokens.ts"
import { Identity } from "../../src/People/SignIn/Identity.ts"
import { Sessions } from "../../src/People/SignIn/Sessions.ts"
import { layerOwner, MemberTasks, Team } from "../../src/People/Team/Team.ts"
import { TeamRepo } from "../../src/People/Team/TeamRepo.ts"
import { UserRepo } from "../../src/People/User/UserRepo.ts"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import { PreparedStatements } from "../../src/Runtime/Database/PreparedStatements.ts"
import { Session } from "../../src/Runtime/Database/Session.ts"
import { Signals } from "../../src/Runtime/Database/Signals.ts"
import * as Sql from "../../src/Runtime/Database/Sql.ts"
import { IdTokens } from "../../src/Wire/IdTokens.ts"
import { Mail } from "../../src/Wire/Mail.ts"
import * as Database from "../support/Database.ts"

export const owner = "owner@example.org"
export const publicUrl = new URL("https://troupe.example.org/")
export const guest = (email: string) => ({ email, name: null, role: "member" as const })

/** A database of its own with a team that has an owner, and the repositories over it. */
export const world = () =>
  Layer.provideMerge(
    layerOwner(owner),
    Layer.mergeAll(TeamRepo.layer, UserRepo.layer, Outbox.layer, Signals.layerLocal).pipe(
      Layer.provide([PreparedStatements.layer({ maxConnections: 2 }), Layer.orDie(Sql.layer({ maxConnections: 4 }))]),
      Layer.provideMerge(Database.layer)
    )
  )

export const query = <A extends object>(text: string, values: ReadonlyArray<unknown> = []) =>
  Effect.flatMap(DatabaseUrl, (url) => Database.query<A>(url, text, values))

/** Set up to send, so that mails are written. */
const mail = Layer.effect(
  Mail,
  Effect.map(Mail, (mail) => ({ ...mail, sender: Option.some({ name: "", address: "troupe@example.org" }) }))
).pipe(Layer.provide(Mail.layerUnconfigured))

export const team = (maxUsers: Option.Option<number> = Option.none()) =>
  Effect.map(
    Layer.build(
      Team.layer({ tier: "free", maxUsers }).pipe(
        Layer.provide([InvitationMailsLayer.layer(publicUrl), Layer.succeed(MemberTasks, { end: () => Effect.void })]),
        Layer.provide(mail)
      )
    ),
    Context.get(Team)
  )

/** The member or invitation with this address. */
export const seatAt = (address: string) =>
  Effect.flatMap(
    Effect.flatMap(TeamRepo, ({ list }) => list),
    (members) => Effect.orDie(Effect.fromNullable(members.find(({ email }) => email === address)))
  )

/** Tokens whose text is their content, `subject|email`: what is checked of real ones is the test of `IdTokens`. */
const tokens = Layer.succeed(IdTokens, {
  verify: (token: Redacted.Redacted) =>
    Effect.suspend(() => {
      const [subject = "", email = ""] = Redacted.value(token).split("|")
      return email === ""
        ? new Unauthenticated({ reason: "no" })
        : Effect.succeed({ subject, email, name: Option.some(`Name of ${subject}`) })
    })
})

type SignalsLayer = Layer.Layer<Signals, never, DatabaseUrl | Signals>

const sameProcess: SignalsLayer = Layer.effect(Signals, Signals)

/** Signals that come by way of the database. */
export const otherProcess: SignalsLayer = Signals.layer.pipe(
  Layer.provide([Session.layer, Layer.orDie(Sql.layer({ maxConnections: 1 }))])
)

/** What one process knows: each call makes another. */
export const identity = (issuer = "https://id.example.org", signals = sameProcess) =>
  Effect.map(
    Layer.build(
      Layer.fresh(Identity.layer({ issuer, publicUrl })).pipe(
        Layer.provide([tokens, Sessions.layerNone, AccessTokens.layerNone, Layer.fresh(signals)])
      )
    ),
    (context) => (subject: string, email: string) =>
      Context.get(context, Identity).authenticate({
        method: "GET",
        headers: { authorization: `Bearer ${subject}|${email}` }
      })
  )

/** Signs in at a process that remembers nobody. */
export const signIn = (subject: string, email: string) =>
  Effect.scoped(Effect.flatMap(identity(), (one) => one(subject, email)))

export const boss = signIn("boss", owner)
