import { NotAllowed, Unauthenticated } from "@troupe/domain/Caller"
import { UserId } from "@troupe/domain/Ids"
import { Effect, Layer } from "effect"
import { Identity, withoutSeats } from "../../src/People/SignIn/Identity.ts"

export const message = { message: "Say hello" }

export const hosted = {
  DEPLOYMENT_MODE: "hosted",
  OIDC_ISSUER: "https://id.example",
  OIDC_AUDIENCE: "troupe",
  TEAM_OWNER_EMAIL: "owner@example.com"
}

/** Each token `user-<name>` is a member's, and `stranger` that of a person outside the team. */
export const signedInUsers: Layer.Layer<Identity> = Layer.succeed(Identity, {
  ...withoutSeats,
  authenticate: (request) => {
    const header = request.headers["authorization"] ?? ""
    if (header.startsWith("Bearer user-")) {
      return Effect.succeed({ id: UserId.make(header.slice(12)), role: "member" as const })
    }
    return header === "Bearer stranger"
      ? new NotAllowed({ reason: "Not a member." })
      : new Unauthenticated({ reason: "Unknown" })
  }
})
