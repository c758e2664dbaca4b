import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { CurrentUser } from "@troupe/api/Authentication"
import type { InviteRequest } from "@troupe/api/TeamApi"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { UserCursor } from "@troupe/api/UsersApi"
import { type Invitation, memberEmail } from "@troupe/domain/Team"
import { positionOf } from "@troupe/domain/User"
import { Effect, Option, Schema } from "effect"
import { pageById, pageResponse } from "../Runtime/Database/Page.ts"
import { Channels } from "./Channel/Channels.ts"
import { ChannelSync } from "./Channel/ChannelSync.ts"
import { Memberships } from "./Channel/Memberships.ts"
import { ChatHealth } from "./ChatHealth.ts"
import { AccessTokens } from "./SignIn/AccessTokens.ts"
import { Team } from "./Team/Team.ts"
import { actingFor, ownIdOf } from "./User/Access.ts"
import { Users } from "./User/Users.ts"

const encodeCursor = Schema.encodeSync(UserCursor)

export const UsersHttp = HttpApiBuilder.group(TroupeApi, "users", (handlers) =>
  Effect.map(Users, (users) =>
    handlers
      .handle(
        "list",
        ({ request: { url }, urlParams: { user_id, ...query } }) =>
          user_id === undefined
            ? pageResponse({ url, query }, { read: users.list, positionOf, encode: encodeCursor })
            : Effect.flatMap(actingFor(users, user_id), users.found)
      )
      .handle("me", () => Effect.flatMap(CurrentUser, ({ id }) => users.existing(id)))
      .handle(
        "change",
        ({ path, payload: { join, ...changes } }) =>
          Effect.flatMap(ownIdOf(path.user_id), (id) => users.change(id, changes, join ?? false))
      )
      .handle("clearOverrides", ({ path }) => Effect.flatMap(ownIdOf(path.user_id), users.clearOverrides))))

export const ChannelsHttp = HttpApiBuilder.group(
  TroupeApi,
  "channels",
  (handlers) =>
    Effect.map(Effect.all([Channels, Memberships, ChannelSync]), ([channels, memberships, sync]) =>
      handlers
        .handle("list", (request) => pageById(request, channels.list))
        .handle("find", ({ path }) => channels.find(path.channel_id))
        .handle("syncAll", () => sync.syncAll)
        .handle("sync", ({ path }) => sync.syncChannel(path.channel_id))
        .handle("members", ({ path, request: { url }, urlParams: query }) =>
          pageResponse({ url, query }, {
            read: (piece) => memberships.list(path.channel_id, piece),
            positionOf: ({ name, user_id }) => ({ name: name ?? user_id, id: user_id }),
            encode: encodeCursor
          }))
        .handle("changeMember", ({ path, payload }) => memberships.change(path.channel_id, path.user_id, payload)))
)

const toRequest = ({ email, name, role }: InviteRequest) => ({
  email: Option.getOrElse(memberEmail(email), () => email),
  name: name ?? null,
  role
})

export const TeamHttp = HttpApiBuilder.group(TroupeApi, "team", (handlers) =>
  Effect.map(Team, (team) =>
    handlers
      .handle("invite", ({ payload }) =>
        CurrentUser.pipe(
          Effect.flatMap(({ id }) => team.invite(toRequest(payload), id)),
          Effect.map(({ invitation, isNew }) =>
            HttpServerResponse.unsafeJson(invitation satisfies Invitation, { status: isNew ? 201 : 200 })
          )
        ))
      .handle("info", () => team.info)
      .handle(
        "change",
        ({ path, payload: { role } }) =>
          Effect.flatMap(CurrentUser, ({ id }) => team.changeRole(path.member_id, role, id))
      )
      .handle("remove", ({ path }) => Effect.flatMap(CurrentUser, ({ id }) => team.remove(path.member_id, id)))))

export const TokensHttp = HttpApiBuilder.group(
  TroupeApi,
  "tokens",
  (handlers) =>
    Effect.map(Effect.all([AccessTokens, Users]), ([tokens, users]) =>
      handlers
        .handle(
          "list",
          (request) =>
            Effect.flatMap(
              actingFor(users, request.urlParams.user_id),
              (user) => pageById(request, (piece) => tokens.list(user, piece))
            )
        )
        .handle("create", ({ payload }) => Effect.flatMap(CurrentUser, (caller) => tokens.create(caller, payload)))
        .handle("remove", ({ path }) => tokens.remove(path.token_id)))
)

export const TeamChatHttp = HttpApiBuilder.group(
  TroupeApi,
  "teamChat",
  (handlers) => Effect.map(ChatHealth, ({ check }) => handlers.handle("health", () => check))
)
