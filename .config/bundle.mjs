// node .config/bundle.mjs <folder> <entry>...
// Joins the built modules with those of Effect to a few files. Node would read some 900 files at each start, which takes
// a second of processor time and 15 MB. All other packages stay in node_modules.
import { build } from "esbuild"
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"

const [folder, ...entryPoints] = process.argv.slice(2)
const entries = entryPoints.map((file) => basename(file))
const root = fileURLToPath(new URL("..", import.meta.url))

const changedAt = (file) => statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0

// tsc writes the first ones when it has compiled something.
const compiled = ["dist", "packages/domain", "packages/api", "packages/embedded-postgres", ".cache/bench"]
const sources = [
  ...compiled.map((folder) => `${folder}/tsconfig.tsbuildinfo`),
  "package-lock.json",
  ".config/bundle.mjs"
]
const isOld = entries.some((entry) => sources.some((source) => changedAt(source) > changedAt(join(folder, entry))))

if (isOld) {
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints,
    // Modules find `migrations/` and `skills/` two folders above them, as they do in src and dist.
    outdir: folder,
    external: Object.keys(dependencies).filter((name) => name !== "effect" && !name.startsWith("@effect/")),
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    minifySyntax: true,
    sourcemap: "linked",
    sourcesContent: false,
    // Some packages that Effect uses are CommonJS.
    banner: {
      js: "import { createRequire as requireFrom } from \"node:module\"; const require = requireFrom(import.meta.url);"
    },
    logLevel: "warning",
    write: false
  })
  mkdirSync(join(root, folder), { recursive: true })
  // Other processes may start from these files, or build them, at the same time: files are replaced whole, entries last.
  const rank = ({ path }) => entries.indexOf(basename(path))
  for (const { contents, path } of outputFiles.toSorted((a, b) => rank(a) - rank(b))) {
    const part = `${path}.${process.pid}`
    writeFileSync(part, contents)
    renameSync(part, path)
  }
}
