import { Effect } from "effect"
import type { Page } from "playwright-core"

export interface Hands {
  readonly open: (path: string) => Effect.Effect<void>
  readonly sees: (text: string) => Effect.Effect<void>
  readonly press: (name: string) => Effect.Effect<void>
  readonly type: (label: string, text: string) => Effect.Effect<void>
  readonly follow: (name: string) => Effect.Effect<void>
}

/** What a person does on a page: each step waits until it can be done. */
export const handsOn = (page: Page, origin: string): Hands => ({
  open: (path) => Effect.promise(() => page.goto(`${origin}/console/${path}`)),
  sees: (text) => Effect.promise(() => page.getByText(text).locator("visible=true").first().waitFor()),
  press: (name) => Effect.promise(() => page.getByRole("button", { name, exact: true }).first().click()),
  type: (label, text) => Effect.promise(() => page.getByLabel(label, { exact: true }).fill(text)),
  follow: (name) => Effect.promise(() => page.getByRole("link", { name, exact: true }).first().click())
})
