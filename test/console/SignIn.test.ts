import { assert, describe } from "@effect/vitest"
import axe, { type AxeResults } from "axe-core"
import { Effect } from "effect"
import { mkdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Page } from "playwright-core"
import { processTest } from "../support/Deployment.ts"
import { audience, makeIdentityProvider } from "../support/IdentityProvider.ts"
import { browserNeed, consoleNeed, openPage } from "./Browser.ts"
import { makeWorld } from "./Console.ts"

const pictures = fileURLToPath(new URL("../../.cache/screenshots/", import.meta.url))

const isAccessible = async (page: Page) => {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<AxeResults>("axe.run()")
  assert.deepStrictEqual(violations.map(({ id }) => id), [])
}

describe.skipIf(browserNeed.isMissing || consoleNeed.isMissing)(
  consoleNeed.named(browserNeed.named("The console of a hosted service")),
  () => {
    processTest("shows the way to the sign-in, then the member, and signs out", function*() {
      const { issuer, signsIn } = yield* makeIdentityProvider
      signsIn({ sub: "owner", email: "owner@example.org", name: "Olga Owner" })
      const { browser, origin } = yield* makeWorld({
        DEPLOYMENT_MODE: "hosted",
        OIDC_ISSUER: issuer,
        OIDC_AUDIENCE: audience,
        OIDC_CLIENT_ID: "console",
        TEAM_OWNER_EMAIL: "owner@example.org"
      })
      mkdirSync(pictures, { recursive: true })
      for (const [look, width] of [["light", 1360], ["dark-narrow", 390]] as const) {
        const { page } = yield* openPage(browser, origin, {
          colorScheme: look === "light" ? "light" : "dark",
          viewport: { width, height: 844 }
        })
        yield* Effect.promise(async () => {
          await page.goto(`${origin}/console/tasks?status=failed`)
          const way = page.getByRole("link", { name: "Sign in" })
          await way.waitFor()
          await isAccessible(page)
          await page.screenshot({ path: `${pictures}sign-in-${look}.png` })
          await way.click()
          await page.waitForURL(`${origin}/console/tasks?status=failed`)
          if (width < 768) await page.getByRole("button", { name: "Menu" }).click()
          await page.getByText("Olga Owner").locator("visible=true").waitFor()
          await isAccessible(page)
          await page.screenshot({ path: `${pictures}signed-in-${look}.png` })
          await page.getByRole("button", { name: "Sign out" }).click()
          await way.waitFor()
        })
      }
    })
  }
)
