import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"

const filesOf = (path) =>
  statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    : [path]

/** Calls `build` unless `stamp` says that these sources (files, or folders in `root`) were built before. */
export const buildIfChanged = async ({ root, sources, stamp }, build) => {
  const hash = createHash("sha256")
  for (const file of sources.flatMap((name) => filesOf(join(root, name))).sort()) {
    hash.update(relative(root, file)).update("\0").update(readFileSync(file)).update("\0")
  }
  const current = hash.digest("hex")
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === current) return
  await build()
  writeFileSync(stamp, current)
}
