import { assert } from "@effect/vitest"
import axe, { type AxeResults } from "axe-core"
import { Effect } from "effect"
import { mkdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Page } from "playwright-core"

/** Look at these pictures after a change: they are what people see. */
const pictures = fileURLToPath(new URL("../../.cache/screenshots/", import.meta.url))

const narrow = { width: 390, height: 844 }
const wide = { width: 1360, height: 850 }

/** Each screen is looked at narrow in one colour scheme and wide in the other; the length of its name decides which ones. */
const looks = [
  [{ look: "dark-narrow", colorScheme: "dark", ...narrow }, { look: "light", colorScheme: "light", ...wide }],
  [{ look: "light-narrow", colorScheme: "light", ...narrow }, { look: "dark", colorScheme: "dark", ...wide }]
] as const

/** Takes pictures of what is shown, narrow and wide; it is accessible and not wider than the window. */
export const looksRight = (page: Page, name: string): Effect.Effect<void> =>
  Effect.promise(async () => {
    mkdirSync(pictures, { recursive: true })
    // Until the renderer is loaded, markdown is shown as it is.
    await page.locator(".prose-text.whitespace-pre-wrap").first().waitFor({ state: "detached" })
    for (const { colorScheme, height, look, width } of name.length % 2 === 0 ? looks[0] : looks[1]) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
      await page.setViewportSize({ width, height })
      // Else the picture may have colours of the look before.
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
      await page.screenshot({ path: `${pictures}${name}-${look}.png` })
      const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")
      assert.isAtMost(overflow, 0, `${name} ${look} is wider than the window`)
      // The policy of the page forbids scripts that are put into it, so axe runs as the debugger.
      if (!await page.evaluate<boolean>("\"axe\" in window")) await page.evaluate(axe.source)
      const { violations } = await page.evaluate<AxeResults>(
        "axe.run({ preload: false, resultTypes: [\"violations\"] })"
      )
      const found = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
      assert.deepStrictEqual(found, [], `${name} ${look}`)
    }
  })
