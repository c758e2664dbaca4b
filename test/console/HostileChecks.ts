import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import type { WatchedPage } from "./Browser.ts"
import type { ConsoleWorld } from "./Console.ts"
import type { Hands } from "./Hands.ts"
import type { HostilePlace } from "./HostileTexts.ts"

/** Elements and links that no text of others may make. */
export const hasNoForeignElements = (page: Page, where: string) =>
  Effect.promise(async () => {
    const made = page.locator("main, [role=dialog], [role=status]").locator(
      "img:not([src^=blob]), iframe, script, object, embed, form[action], style, link, meta, base, math, [onerror], [onload], [onclick]"
    )
    assert.strictEqual(await made.count(), 0, `elements at ${where}`)
    const links = page.locator("a:is([href^=javascript], [href^=data], [href^=vbscript])")
    assert.strictEqual(await links.count(), 0, `links at ${where}`)
    assert.notStrictEqual(await page.title(), "run", where)
  })

/** Opens the place, with all that is folded there. */
export const showsOnlyText = (
  { open, origin, page }: Pick<ConsoleWorld, "origin"> & Pick<WatchedPage, "page"> & Pick<Hands, "open">,
  { path, shows }: HostilePlace
) =>
  Effect.gen(function*() {
    const address = `${origin}/console/${path}`
    yield* open(path)
    yield* Effect.promise(async () => {
      const place = page.locator("main, [role=dialog]")
      const text = place.getByText(shows ?? /onerror|javascript:run/).locator("visible=true").first()
      await text.waitFor().catch((cause: unknown) => assert.fail(`${path}: ${String(cause)}`))
      await page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
      await page.evaluate("for (const fold of document.querySelectorAll('li [aria-expanded=false]')) fold.click()")
      // Until the renderer is loaded, markdown is shown as it is.
      await page.locator(".prose-text.whitespace-pre-wrap").first().waitFor({ state: "detached" })
    })
    yield* hasNoForeignElements(page, path)
    const { origin: shown, pathname } = new URL(page.url())
    assert.strictEqual(decodeURI(`${shown}${pathname}`), decodeURI(address.replace(/\?.*$/, "")))
  })
