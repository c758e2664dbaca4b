// Bundles the service with the libraries that it is made of, if its sources have changed since the last time: Node loads
// the twenty files of a start in half of the time that a thousand modules take. All other packages stay in node_modules.
import { existsSync, rmSync } from "node:fs"
import { dirname, isAbsolute, join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"
import { buildIfChanged } from "./Sources.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const dir = join(root, "dist/service")

const bundled = /^(@effect|@troupe|effect|fast-check|pure-rand|chrono-node|jose)(\/|$)/

/** The folder of a package as `importer` finds it. */
const folderOf = (name, importer) => {
  for (let folder = dirname(importer); folder !== dirname(folder); folder = dirname(folder)) {
    const found = join(folder, "node_modules", name)
    if (existsSync(found)) return found
  }
}

/** A module of a package that the bundle finds too. Of some packages, libraries have their own version. */
const isExternal = (id, importer) => {
  if (id.startsWith(".") || isAbsolute(id) || bundled.test(id)) return false
  const [name] = /^(@[^/]+\/)?[^/]+/.exec(id)
  return id.startsWith("node:") || importer === undefined ||
    folderOf(name, importer) === join(root, "node_modules", name)
}

const modules = [
  "main",
  "backup",
  "doctor",
  "File/Documents/DocumentThread",
  "Runtime/Process/ProcessGuard",
  "Wire/MailParserThread"
]

const sources = [
  "src",
  ...["api", "domain", "embedded-postgres"].map((name) => `packages/${name}/src`),
  "package-lock.json",
  ".config/bundle-service.mjs"
]

await buildIfChanged({ root, sources, stamp: join(dir, ".sources") }, async () => {
  rmSync(dir, { recursive: true, force: true })
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(modules.map((module) => [module.split("/").at(-1), `src/${module}.ts`])),
    platform: "node",
    resolve: { conditionNames: ["@troupe/source", "import", "node"] },
    external: isExternal
  })
  // All files are in one folder, because modules find the folders of the project by the place of their own file.
  await bundle.write({ dir, format: "esm", sourcemap: true, comments: false, chunkFileNames: "[name]-[hash].js" })
})
