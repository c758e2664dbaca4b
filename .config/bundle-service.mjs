// Bundles the service and the command line, if sources have changed since the last time: Node loads the thirty files of a start
// in half of the time that a thousand modules take. The libraries that `dependencies` of package.json lists stay in node_modules.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { dirname, isAbsolute, join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"
import { buildIfChanged, isBuilt } from "./Sources.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const dir = join(root, "dist/service")

const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

/** The folder of a package as `importer` finds it. */
const folderOf = (name, importer) => {
  for (let folder = dirname(importer); folder !== dirname(folder); folder = dirname(folder)) {
    const found = join(folder, "node_modules", name)
    if (existsSync(found)) return found
  }
}

/** What `dependencies` of package.json lists is installed beside the bundle. Of some packages, libraries have their own version. */
const isExternal = (id, importer) => {
  if (id.startsWith(".") || isAbsolute(id)) return false
  if (isBuiltin(id)) return true
  const [name] = /^(@[^/]+\/)?[^/]+/.exec(id)
  return name in dependencies &&
    (importer === undefined || folderOf(name, importer) === join(root, "node_modules", name))
}

const modules = [
  "backup",
  "doctor",
  "upgrade",
  "File/Documents/DocumentThread",
  "Runtime/Process/ProcessGuard",
  "Wire/MailParserThread"
]

const sources = [
  "src",
  ...["api", "cli", "client", "domain", "embedded-postgres"].map((name) => `packages/${name}/src`),
  "package.json",
  "package-lock.json",
  ".config/bundle-service.mjs",
  ".config/launch-service.mjs"
]

/** The launcher gives a function for what scripts can't do by themselves. */
const importModule = {
  name: "import-module",
  renderChunk(chunk) {
    const code = chunk.replace(
      /\bimport\("([^"]+)"\)/g,
      (whole, name) => isExternal(name) ? `importModule("${name}")` : whole
    )
    return code === chunk ? null : { code, map: null }
  }
}

const bundle = async (input, dir, output = { format: "esm", chunkFileNames: "[name]-[hash].js" }) => {
  const build = await rolldown({
    cwd: root,
    input,
    platform: "node",
    resolve: { conditionNames: ["@troupe/source", "import", "node"] },
    external: isExternal
  })
  // All files are in one folder, because modules find the folder of the project by the place of their own file.
  const written = await build.write({ dir, sourcemap: true, comments: false, ...output })
  return written.output.map(({ fileName }) => fileName)
}

/** Afterwards, so that a running service finds its files meanwhile. */
const removeOthers = (dir, written) => {
  for (const { name } of readdirSync(dir, { withFileTypes: true }).filter((entry) => entry.isFile())) {
    if (!written.includes(name) && /\.c?js(?:\.map)?$/.test(name)) rmSync(join(dir, name))
  }
}

const built = { root, sources, stamp: join(dir, ".sources") }

// `--check`: exits with 1 if the bundle is out of date. The tests that start the service ask so.
if (process.argv[2] === "--check") process.exit(isBuilt(built) ? 0 : 1)

await buildIfChanged(built, async () => {
  const programs = await bundle(
    Object.fromEntries(modules.map((module) => [module.split("/").at(-1), `src/${module}.ts`])),
    dir
  )
  // V8 can only keep what it compiles of scripts, not of modules.
  const service = await bundle({ main: "src/main.ts" }, dir, {
    format: "cjs",
    entryFileNames: "[name]-[hash].cjs",
    chunkFileNames: "[name]-[hash].cjs",
    plugins: [importModule]
  })
  const launcher = readFileSync(join(root, ".config/launch-service.mjs"), "utf8")
  writeFileSync(join(dir, "main.js"), launcher.replace("BUNDLE", service.find((name) => /^main-.*\.cjs$/.test(name))))
  rmSync(join(dir, ".compiled"), { recursive: true, force: true })
  removeOthers(dir, [...programs, ...service, "main.js"])
  const cli = join(dir, "cli")
  removeOthers(cli, await bundle({ main: "packages/cli/src/main.ts" }, cli))
})
