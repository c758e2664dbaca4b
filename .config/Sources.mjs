import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"

const filesOf = (path) =>
  statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    : [path]

const digestOf = ({ root, sources }) => {
  const hash = createHash("sha256")
  for (const file of sources.flatMap((name) => filesOf(join(root, name))).sort()) {
    hash.update(relative(root, file)).update("\0").update(readFileSync(file)).update("\0")
  }
  return hash.digest("hex")
}

/** Whether `stamp` says that these sources (files, or folders in `root`) were built as they are. */
export const isBuilt = (built) => existsSync(built.stamp) && readFileSync(built.stamp, "utf8") === digestOf(built)

export const buildIfChanged = async (built, build) => {
  if (isBuilt(built)) return
  await build()
  writeFileSync(built.stamp, digestOf(built))
}
