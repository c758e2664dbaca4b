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

/** Every look is seen in a picture. `axe` runs in the first two or in the last two: the other ones have the same parts. */
const looks = [
  { look: "dark-narrow", colorScheme: "dark", ...narrow },
  { look: "light", colorScheme: "light", ...wide },
  { look: "light-narrow", colorScheme: "light", ...narrow },
  { look: "dark", colorScheme: "dark", ...wide }
] as const

/** Takes pictures of what is shown, light and dark, narrow and wide; it is accessible and not wider than the window. */
export const looksRight = (page: Page, name: string): Effect.Effect<void> =>
  Effect.promise(async () => {
    mkdirSync(pictures, { recursive: true })
    // Until the renderer is loaded, markdown is shown as it is.
    await page.locator(".prose-text.whitespace-pre-wrap").first().waitFor({ state: "detached" })
    const examined = name.length % 2 === 0 ? [0, 1] : [2, 3]
    for (const [index, { colorScheme, height, look, width }] of looks.entries()) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
      await page.setViewportSize({ width, height })
      // Else the picture may have colours of the look before.
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
      await page.screenshot({ path: `${pictures}${name}-${look}.png` })
      const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")
      assert.isAtMost(overflow, 0, `${name} ${look} is wider than the window`)
      if (!examined.includes(index)) continue
      // The policy of the page forbids scripts that are put into it, so axe runs as the debugger.
      if (!await page.evaluate<boolean>("\"axe\" in window")) await page.evaluate(axe.source)
      const { violations } = await page.evaluate<AxeResults>(
        "axe.run({ preload: false, resultTypes: [\"violations\"] })"
      )
      const found = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
      assert.deepStrictEqual(found, [], `${name} ${look}`)
    }
  })
