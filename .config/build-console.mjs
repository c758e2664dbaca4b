// Builds the web console if its sources have changed since the last build.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = join(root, "packages/console")
const stamp = join(folder, "dist/.sources")

const sources = ["index.html", "package.json", "src", "vite.config.ts", "../client/src", "../../package-lock.json"]

const filesOf = (path) =>
  statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    : [path]

const hash = createHash("sha256")
for (const file of sources.flatMap((name) => filesOf(join(folder, name))).sort()) {
  hash.update(relative(root, file)).update("\0").update(readFileSync(file)).update("\0")
}
const current = hash.digest("hex")

if (existsSync(stamp) && readFileSync(stamp, "utf8") === current) process.exit(0)
process.stdout.write("Building the web console ...\n")
const { status } = spawnSync("npm run --silent build", { cwd: folder, shell: true, stdio: "inherit" })
if (status === 0) writeFileSync(stamp, current)
process.exit(status ?? 1)
