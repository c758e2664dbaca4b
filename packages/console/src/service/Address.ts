/** Where the console is, found by the address of its script, so that a proxy may serve it under any path. */
const findConsole = (): URL =>
  import.meta.env.DEV ? new URL("/console/", location.href) : new URL(/* @vite-ignore */ "../", import.meta.url)

const consoleUrl = findConsole()

/** The path below which every screen is, without the last slash. */
export const consolePath = consoleUrl.pathname.replace(/\/$/, "")

/** The address of the service. */
export const serviceUrl = new URL("../", consoleUrl).href.replace(/\/$/, "")
