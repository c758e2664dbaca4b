import { Unauthenticated } from "@troupe/domain/Caller"
import { UserId } from "@troupe/domain/Ids"
import { Effect, Layer } from "effect"
import { Identity, withoutSeats } from "../../src/People/Identity.ts"

export const message = { message: "Say hello" }

export const hosted = {
  DEPLOYMENT_MODE: "hosted",
  OIDC_ISSUER: "https://id.example",
  OIDC_AUDIENCE: "troupe",
  TEAM_OWNER_EMAIL: "owner@example.com"
}

/** Each token `user-<name>` is a member's. */
export const signedInUsers: Layer.Layer<Identity> = Layer.succeed(Identity, {
  ...withoutSeats,
  authenticate: (request) => {
    const header = request.headers["authorization"] ?? ""
    return header.startsWith("Bearer user-")
      ? Effect.succeed({ id: UserId.make(header.slice(12)), role: "member" as const })
      : new Unauthenticated({ reason: "Unknown" })
  }
})
