import { Effect, type Scope } from "effect"
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { need } from "../support/Need.ts"

const program = ["chromium-headless-shell", "chromium", "google-chrome"]
  .map((name) => spawnSync("which", [name], { encoding: "utf8" }).stdout?.trim() ?? "")
  .find((path) => path !== "")

/** A host that the browser trusts less than this machine: its pages are no secure context. */
export const lanHost = "troupe.test"

export const browserNeed = need("Chromium (chromium-headless-shell)", program !== undefined)

/** The console as `npm run build` makes it. */
export const consoleNeed = need(
  "the built console (npm run build)",
  existsSync(fileURLToPath(new URL("../../packages/console/dist/index.html", import.meta.url)))
)

/** One for all files of a test process, which ends with it. Each test has a context of its own. */
export const browser: Effect.Effect<Browser> = Effect.runSync(Effect.cached(Effect.promise(() =>
  chromium.launch({
    executablePath: program ?? "",
    args: ["--no-sandbox", `--host-resolver-rules=MAP ${lanHost} 127.0.0.1`]
  })
)))

/** A page with what must not happen on it: errors, and requests to other origins. */
export interface WatchedPage {
  readonly page: Page
  readonly faults: Array<string>
}

/** The log of a page may say that the service was away while a test restarts it. */
const isOutage = (text: string) => /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_EMPTY_RESPONSE/.test(text)

const wide = { width: 1360, height: 850 }

/** Makes the page what a new one is, except that the browser has the console's files already. */
export const cleared = ({ faults, page }: WatchedPage, origin: string): Effect.Effect<void> =>
  Effect.promise(async () => {
    for (const other of page.context().pages()) if (other !== page) await other.close()
    await page.unrouteAll()
    await page.emulateMedia({ colorScheme: null, reducedMotion: null })
    await page.setViewportSize(wide)
    // A page of this origin that keeps nothing: what the console writes when it is left is deleted, too.
    await page.goto(`${origin}/api/health`)
    await page.evaluate("localStorage.clear(), sessionStorage.clear()")
    faults.length = 0
  })

export const openPage = (
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {}
): Effect.Effect<WatchedPage, never, Scope.Scope> =>
  Effect.gen(function*() {
    const context = yield* Effect.acquireRelease(
      Effect.promise(() => browser.newContext({ viewport: wide, ...options })),
      (context) => Effect.promise(() => context.close())
    )
    const page = yield* Effect.promise(() => context.newPage())
    page.setDefaultTimeout(45_000)
    const faults: Array<string> = []
    page.on("request", (request) => {
      const url = request.url()
      if (!url.startsWith(`${origin}/`) && !/^(?:data|blob):/.test(url)) faults.push(`request to ${url}`)
    })
    page.on("dialog", (dialog) => void faults.push(`dialog ${dialog.message()}`))
    page.on("popup", (popup) => void faults.push(`window ${popup.url()}`))
    page.on("pageerror", (error) => void faults.push(error.message))
    page.on("console", (message) => {
      if (message.type() === "error" && !isOutage(message.text())) faults.push(message.text())
    })
    return { page, faults }
  })
