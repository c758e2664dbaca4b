import { Effect } from "effect"
import type { Page } from "playwright-core"

export interface Hands {
  /** Goes to the address as a link of the console does; the first one of a page is loaded. */
  readonly open: (path: string) => Effect.Effect<unknown>
  /** Loads the address, as a link from outside or a new tab does. */
  readonly load: (path: string) => Effect.Effect<unknown>
  readonly sees: (text: string) => Effect.Effect<void>
  readonly press: (name: string) => Effect.Effect<void>
  readonly type: (label: string, text: string) => Effect.Effect<void>
  readonly follow: (name: string) => Effect.Effect<void>
}

/** Resolves once the screen of the address took the place of the one before. Loading the console again costs ten times as much. */
const navigate = (address: string) =>
  `new Promise((resolve) => {
  const unsubscribe = __TSR_ROUTER__.subscribe("onResolved", () => {
    unsubscribe()
    resolve()
  })
  history.pushState(null, "", ${JSON.stringify(address)})
})`

/** What a person does on a page: each step waits until it can be done. */
export const handsOn = (page: Page, origin: string): Hands => ({
  open: (path) =>
    Effect.promise<unknown>(() => {
      const address = `${origin}/console/${path}`
      return page.url().startsWith(`${origin}/console/`) ? page.evaluate(navigate(address)) : page.goto(address)
    }),
  load: (path) => Effect.promise(() => page.goto(`${origin}/console/${path}`)),
  sees: (text) => Effect.promise(() => page.getByText(text).locator("visible=true").first().waitFor()),
  press: (name) => Effect.promise(() => page.getByRole("button", { name, exact: true }).first().click()),
  type: (label, text) => Effect.promise(() => page.getByLabel(label, { exact: true }).fill(text)),
  follow: (name) => Effect.promise(() => page.getByRole("link", { name, exact: true }).first().click())
})
