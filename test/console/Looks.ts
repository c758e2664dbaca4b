import { assert } from "@effect/vitest"
import axe from "axe-core"
import { Effect } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Page } from "playwright-core"

/** Look at these pictures after a change: they are what people see. */
const pictures = fileURLToPath(new URL("../../.cache/screenshots/", import.meta.url))

const narrow = { width: 390, height: 844 }
const wide = { width: 1360, height: 850 }

/** Every look is seen in a picture. The order changes as little as possible from one to the next, and from screen to screen. */
const looks = [
  { look: "light", colorScheme: "light", ...wide },
  { look: "light-narrow", colorScheme: "light", ...narrow },
  { look: "dark-narrow", colorScheme: "dark", ...narrow },
  { look: "dark", colorScheme: "dark", ...wide }
] as const

/** `axe` sees both widths and both colours. The other two looks have the same parts. */
const examined = [["light", "dark-narrow"], ["light-narrow", "dark"]] as const

/** By how much the page is wider than the window, once it is drawn: else the picture may have colours of the look before. */
const drawn = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  .then(() => document.documentElement.scrollWidth - innerWidth)`

/** Whether some paragraph of Markdown shows its soft line breaks, as text that is not Markdown yet does. */
const showsSoftBreaks = `[...document.querySelectorAll(".prose-text :is(p, li)")].some((text) =>
  text.closest("pre") === null && getComputedStyle(text).whiteSpace !== "normal")`

/** Only what people read comes back from the page. */
const violations = `axe.run({ preload: false, resultTypes: ["violations"] }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html.slice(0, 200))))`

/** Takes pictures of what is shown, light and dark, narrow and wide; it is accessible and not wider than the window. */
export const looksRight = (page: Page, name: string): Effect.Effect<void> =>
  Effect.promise(async () => {
    mkdirSync(pictures, { recursive: true })
    // Until the renderer is loaded, markdown is shown as it is.
    await page.locator(".prose-text.whitespace-pre-wrap").first().waitFor({ state: "detached" })
    assert.isFalse(await page.evaluate<boolean>(showsSoftBreaks), `${name} breaks lines within paragraphs`)
    const session = await page.context().newCDPSession(page)
    for (const { colorScheme, height, look, width } of looks) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
      await page.setViewportSize({ width, height })
      assert.isAtMost(await page.evaluate<number>(drawn), 0, `${name} ${look} is wider than the window`)
      // The picture of the page's own method takes twice the time.
      const { data } = await session.send("Page.captureScreenshot", { optimizeForSpeed: true })
      writeFileSync(`${pictures}${name}-${look}.png`, data, "base64")
      if (!examined[name.length % 2 === 0 ? 0 : 1].some((one) => one === look)) continue
      // The policy of the page forbids scripts that are put into it, so axe runs as the debugger.
      if (!await page.evaluate<boolean>("\"axe\" in window")) await page.evaluate(axe.source)
      assert.deepStrictEqual(await page.evaluate<ReadonlyArray<string>>(violations), [], `${name} ${look}`)
    }
    await session.detach()
  })
