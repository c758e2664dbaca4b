import type { HttpOptions } from "./HttpOptions.ts"

const noFrames = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * The policy of the pages of the docs: scripts are files of this service. The viewers make styles as they run, and one
 * colours examples by a WebAssembly module.
 */
export const docsPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; "
  + `img-src 'self' data:; font-src 'self' data:; connect-src 'self'; ${noFrames}`

/** The policy of the console: it loads only files of this service, and writes no script or style into the page. */
export const consolePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
  + `font-src 'self'; connect-src 'self'; ${noFrames}`

const yearInSeconds = 365 * 24 * 60 * 60

/**
 * What every response allows browsers, where an endpoint does not decide otherwise: its content runs and loads nothing,
 * is shown in no frame, and other sites do not learn its address.
 */
export const securityHeaders = (
  { deploymentMode, publicUrl }: Pick<HttpOptions, "deploymentMode" | "publicUrl">
): Readonly<Record<string, string>> => ({
  "content-security-policy": `default-src 'none'; ${noFrames}`,
  // With `no-referrer`, forms of our own pages would be sent with `Origin: null`.
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  ...(deploymentMode === "hosted" && publicUrl.protocol === "https:"
    ? { "strict-transport-security": `max-age=${yearInSeconds}` }
    : {})
})
