import { assert } from "@effect/vitest"
import axe from "axe-core"
import { Effect } from "effect"
import { env } from "node:process"
import { fileURLToPath } from "node:url"
import type { Page } from "playwright-core"

/** Look at these pictures after a change: they are what people see. They are made if `SCREENSHOTS` is set, of all four looks. */
const pictures = fileURLToPath(new URL("../../.cache/screenshots/", import.meta.url))
const areMade = env["SCREENSHOTS"] !== undefined

const narrow = { width: 390, height: 844 }
const wide = { width: 1360, height: 850 }

/** The order changes as little as possible from one to the next. The last one is wide, as new pages are. */
const looks = [
  { look: "dark-narrow", colorScheme: "dark", ...narrow },
  { look: "light-narrow", colorScheme: "light", ...narrow },
  { look: "light", colorScheme: "light", ...wide },
  { look: "dark", colorScheme: "dark", ...wide }
] as const

/** Both widths and both colours are examined. The other two looks have the same parts. */
const examined = [["dark-narrow", "light"], ["light-narrow", "dark"]] as const

/** By how much the page is wider than the window, once it is drawn: else the picture may have colours of the look before. */
const drawn = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  .then(() => document.documentElement.scrollWidth - innerWidth)`

/** Whether something moves without end. */
const movesForEver = `document.getAnimations().some(({ effect }) => effect.getComputedTiming().iterations === Infinity)`

/** Whether some paragraph of Markdown shows its soft line breaks, as text that is not Markdown yet does. */
const showsSoftBreaks = `[...document.querySelectorAll(".prose-text :is(p, li)")].some((text) =>
  text.closest("pre") === null && getComputedStyle(text).whiteSpace !== "normal")`

/**
 * `axe` computes the colours behind each text. Half of that time goes to fields of colours, which its build keeps in weak maps
 * and sets, and to texts of colours, which it parses each time that it meets them.
 */
const axeSource = `{
  const Fields = class {
    key = Symbol()
    add(owner) { owner[this.key] = true }
    has(owner) { return this.key in owner }
    get(owner) { return owner[this.key] }
    set(owner, value) { owner[this.key] = value }
  };
  ${axe.source.replaceAll(/new Weak(?:Map|Set)\(\)/g, "new Fields()")};
  const { prototype } = axe.commons.color.Color
  const { parseString } = prototype
  const parsed = new Map()
  prototype.parseString = function (text) {
    if (!parsed.has(text)) {
      const { alpha, b, g, r } = parseString.call(this, text)
      parsed.set(text, { alpha, b, g, r })
    }
    return Object.assign(this, parsed.get(text))
  }
}`

const frame = "aside:not(#main aside)"

/** How many elements the frame around the screens has, which differs between services and between people. */
const frameSize = `document.querySelectorAll("${frame} *").length`

/** The frame is the same around every screen, and has more elements than many of them: it is examined once per look. */
const examinedFrames = new Set<string>()

/** Only what people read comes back from the page. */
const violations = (isFrameExamined: boolean) =>
  `axe.run(${isFrameExamined ? JSON.stringify({ exclude: frame }) : "document"}, {
    preload: false,
    resultTypes: ["violations"]
  }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html.slice(0, 200))))`

/** What is shown is accessible, light and dark, narrow and wide, and not wider than the window. */
export const looksRight = (page: Page, name: string): Effect.Effect<void> =>
  Effect.promise(async () => {
    // Until the renderer is loaded, markdown is shown as it is.
    await page.locator(".prose-text.whitespace-pre-wrap").first().waitFor({ state: "detached" })
    assert.isFalse(await page.evaluate<boolean>(showsSoftBreaks), `${name} breaks lines within paragraphs`)
    for (const { colorScheme, height, look, width } of looks) {
      const isExamined = examined[name.length % 2 === 0 ? 0 : 1].some((one) => one === look)
      if (!isExamined && !areMade) continue
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
      await page.setViewportSize({ width, height })
      assert.isAtMost(await page.evaluate<number>(drawn), 0, `${name} ${look} is wider than the window`)
      assert.isFalse(
        await page.evaluate<boolean>(movesForEver),
        `${name} ${look} moves without end`
      )
      if (areMade) await page.screenshot({ path: `${pictures}${name}-${look}.png` })
      if (!isExamined) continue
      // The policy of the page forbids scripts that are put into it, so axe runs as the debugger.
      if (!await page.evaluate<boolean>("\"axe\" in window")) await page.evaluate(axeSource)
      const framed = `${look} ${await page.evaluate<number>(frameSize)}`
      const found = await page.evaluate<ReadonlyArray<string>>(violations(examinedFrames.has(framed)))
      assert.deepStrictEqual(found, [], `${name} ${look}`)
      examinedFrames.add(framed)
    }
  })
