// Builds the web console if its sources have changed since the last build.
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { buildIfChanged } from "./Sources.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const folder = join(root, "packages/console")

const sources = [
  ...["index.html", "package.json", "src", "vite.config.ts"].map((name) => join("packages/console", name)),
  "packages/client/src",
  "package-lock.json"
]

await buildIfChanged({ root, sources, stamp: join(folder, "dist/.sources") }, () => {
  process.stdout.write("Building the web console ...\n")
  const { status } = spawnSync("npm run --silent build", { cwd: folder, shell: true, stdio: "inherit" })
  if (status !== 0) process.exit(status ?? 1)
})
