// Bundles the service and the command line with most of their libraries, if sources have changed since the last time: Node
// loads the thirty files of a start in half of the time that a thousand modules take. The other packages stay in node_modules.
import { existsSync, readdirSync, rmSync } from "node:fs"
import { dirname, isAbsolute, join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"
import { buildIfChanged, isBuilt } from "./Sources.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const dir = join(root, "dist/service")

const markdown = "markdown-it|entities|linkify-it|mdurl|punycode\\.js|uc\\.micro"
const bundled = new RegExp(
  `^(@effect|@troupe|effect|fast-check|pure-rand|undici|chrono-node|jose|uuid|yaml|${markdown})(/|$)`
)

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
  ...["api", "cli", "client", "domain", "embedded-postgres"].map((name) => `packages/${name}/src`),
  "package-lock.json",
  ".config/bundle-service.mjs"
]

const bundle = async (input, dir) => {
  const build = await rolldown({
    cwd: root,
    input,
    platform: "node",
    resolve: { conditionNames: ["@troupe/source", "import", "node"] },
    external: isExternal
  })
  // All files are in one folder, because modules find the folder of the project by the place of their own file.
  const { output } = await build.write({
    dir,
    format: "esm",
    sourcemap: true,
    comments: false,
    chunkFileNames: "[name]-[hash].js"
  })
  // Afterwards, so that a running service finds its files meanwhile.
  const written = new Set(output.map(({ fileName }) => fileName))
  for (const { name } of readdirSync(dir, { withFileTypes: true }).filter((entry) => entry.isFile())) {
    if (!written.has(name) && /\.js(?:\.map)?$/.test(name)) rmSync(join(dir, name))
  }
}

const built = { root, sources, stamp: join(dir, ".sources") }

// `--check`: exits with 1 if the bundle is out of date. The tests that start the service ask so.
if (process.argv[2] === "--check") process.exit(isBuilt(built) ? 0 : 1)

await buildIfChanged(built, async () => {
  await bundle(Object.fromEntries(modules.map((module) => [module.split("/").at(-1), `src/${module}.ts`])), dir)
  await bundle({ main: "packages/cli/src/main.ts" }, join(dir, "cli"))
})
