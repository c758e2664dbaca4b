import { Effect } from "effect"
import { audience, type IdentityProvider, makeIdentityProvider } from "../support/IdentityProvider.ts"
import type { WatchedPage } from "./Browser.ts"
import type { Hands } from "./Hands.ts"

let provider: IdentityProvider | undefined

/** The settings of a hosted service with a sign-in provider of its own. */
export const hosted = Effect.map(makeIdentityProvider, (made) => {
  provider = made
  return {
    DEPLOYMENT_MODE: "hosted",
    OIDC_ISSUER: made.issuer,
    OIDC_AUDIENCE: audience,
    OIDC_CLIENT_ID: "console",
    POLICY: "strict",
    SECRETS_KEY: "k".repeat(32),
    TEAM_OWNER_EMAIL: "owner@example.org"
  }
})

/** Whom the page of the provider signs in from now on. */
export const signsIn = (sub: string, name: string): void =>
  provider?.signsIn({ sub, email: `${sub}@example.org`, name })

export const signsInOwner = (): void => signsIn("owner", "Olga Owner")

/** Opens the address as the owner, who was not signed in. */
export const openAsOwner = (
  { follow, load, page }: Pick<WatchedPage, "page"> & Pick<Hands, "follow" | "load">,
  path: string
): Effect.Effect<void> =>
  Effect.gen(function*() {
    signsInOwner()
    yield* Effect.promise(() => page.context().clearCookies())
    yield* load(path)
    yield* follow("Sign in")
  })
