import { Effect } from "effect"
import { type Check, error, ok } from "./Check.ts"

/** As in package.json's `engines`. */
const oldest = [20, 19] as const

/** Whether this Node is new enough. */
export const nodeCheck = (version: string): Check => ({
  name: "node",
  run: Effect.sync(() => {
    const [major = 0, minor = 0] = version.split(".").map(Number)
    const isEnough = major > oldest[0] || (major === oldest[0] && minor >= oldest[1])
    return [
      isEnough
        ? ok("node", `Node ${version}`)
        : error("node", `Node ${version} is too old.`, `Install Node ${oldest.join(".")} or newer.`)
    ]
  })
})
