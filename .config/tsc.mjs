// Runs TypeScript's native compiler with the diagnostics of Effect: `node .config/tsc.mjs -b`
import { spawnSync } from "node:child_process"
import { accessSync, chmodSync, constants } from "node:fs"
import { createRequire } from "node:module"
import { availableParallelism } from "node:os"
import { dirname, join } from "node:path"
import process from "node:process"

const name = `@effect/tsgo-${process.platform}-${process.arch}`
const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
const program = join(folder, "lib", process.platform === "win32" ? "tsc.exe" : "tsc")

try {
  accessSync(program, constants.X_OK)
} catch {
  // The package does not set the bit.
  chmodSync(program, 0o755)
}
// Every checker works out the types that its files share with others: four, the default, take twice the work of one.
const checkers = String(Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2))))
const { status } = spawnSync(program, [...process.argv.slice(2), "--checkers", checkers], { stdio: "inherit" })
process.exit(status ?? 1)
