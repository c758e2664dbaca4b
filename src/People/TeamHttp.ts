import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { CurrentUser } from "@troupe/api/Authentication"
import type { InviteRequest } from "@troupe/api/TeamApi"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { type Invitation, memberEmail } from "@troupe/domain/Team"
import { Effect, Option } from "effect"
import { Team } from "./Team.ts"

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
      .handle("remove", ({ path }) => team.remove(path.member_id))))
