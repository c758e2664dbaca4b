import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type { SqlClient } from "@effect/sql/SqlClient"
import { Layer, Option } from "effect"
import * as InvitationMailsLayer from "../Delivery/InvitationMailsLayer.ts"
import { Notifications } from "../Delivery/Notifications.ts"
import { Outbox } from "../Delivery/Outbox.ts"
import { OutboxOperations } from "../Delivery/OutboxOperations.ts"
import { MemoryRecords } from "../Memory/MemoryRecords.ts"
import { MemoryRepo } from "../Memory/MemoryRepo.ts"
import { AccessTokens } from "../People/SignIn/AccessTokens.ts"
import { Identity } from "../People/SignIn/Identity.ts"
import { Sessions } from "../People/SignIn/Sessions.ts"
import { SignIn } from "../People/SignIn/SignIn.ts"
import { Senders } from "../People/Team/Senders.ts"
import { layerOwner, Team } from "../People/Team/Team.ts"
import { TeamRepo } from "../People/Team/TeamRepo.ts"
import { UserRepo } from "../People/User/UserRepo.ts"
import { layerDefaultUser, Users } from "../People/User/Users.ts"
import type { Signals } from "../Runtime/Database/Signals.ts"
import type { Settings } from "../Runtime/Settings/Settings.ts"
import { TaskCommands } from "../Task/Command/TaskCommands.ts"
import { layerMemberTasks } from "../Task/Command/UserTasks.ts"
import { MailRecipientsLayer } from "../Task/Read/MailRecipientsLayer.ts"
import { IdTokens } from "../Wire/IdTokens.ts"
import { latest } from "./Latest.ts"

export const users = Users.layer.pipe(Layer.provide(UserRepo.layer))

/** Users, their notifications and memories, and who calls. */
export const people = (settings: Settings["Type"]) =>
  Notifications.layer.pipe(
    Layer.merge(OutboxOperations.layer),
    Layer.merge(team(settings)),
    Layer.merge(MemoryRecords.layer.pipe(Layer.provide(MemoryRepo.layer))),
    Layer.provideMerge(users)
  )

/** Hosted: the members of the team, by the identity provider's tokens. Self-hosted: the default user. */
const team = ({ http, signIn, team }: Settings["Type"]) => {
  const { publicUrl } = http
  const seats = { tier: "free", maxUsers: Option.none(), ...Option.getOrNull(team) } as const
  const callers: Layer.Layer<
    AccessTokens | Identity | SignIn,
    never,
    Signals | SqlClient | TeamRepo | Users
  > = Option.match(
    team,
    {
      onNone: () =>
        Layer.mergeAll(Identity.layerSelfHosted, AccessTokens.layerNone, SignIn.layerNone, layerDefaultUser),
      onSome: (hosted) =>
        Option.match(signIn.clientId, {
          onNone: () =>
            Layer.provideMerge(SignIn.layerNone, Layer.provide(identity(hosted, publicUrl), Sessions.layerNone)),
          onSome: (clientId) =>
            SignIn.layer({ ...signIn, publicUrl, clientId, issuer: hosted.issuer }).pipe(
              Layer.provideMerge(identity(hosted, publicUrl)),
              Layer.provide(Sessions.layer({ ...signIn, issuer: hosted.issuer }))
            )
        }).pipe(
          Layer.provideMerge(AccessTokens.layer(hosted)),
          Layer.merge(layerOwner(hosted.ownerEmail))
        )
    }
  )
  return Layer.merge(Team.layer(seats), callers).pipe(
    Layer.provide([
      TeamRepo.layer,
      InvitationMailsLayer.layer(http.publicUrl).pipe(Layer.provide(Outbox.layer)),
      Layer.provide(layerMemberTasks, TaskCommands.layer)
    ])
  )
}

const identity = (hosted: { readonly issuer: string; readonly audience: string }, publicUrl: URL) =>
  Identity.layer({ issuer: hosted.issuer, publicUrl }).pipe(
    Layer.provide(IdTokens.layer(hosted)),
    Layer.provide(NodeHttpClient.layerUndici)
  )

export const mailRecipients = (settings: Settings["Type"]) =>
  MailRecipientsLayer(latest(settings.stored, ({ mail }) => ({ domains: mail.recipientDomains }))).pipe(
    Layer.provide(senders(settings))
  )

/** Who is known by an address. Hosted: the members of the team. */
export const senders = ({ isHosted }: Settings["Type"]): Layer.Layer<Senders, never, SqlClient> =>
  isHosted
    ? Layer.provide(Senders.layerTeam, TeamRepo.layer)
    : Layer.provide(Senders.layer, Layer.provideMerge(users, UserRepo.layer))
