// The start of the built service: `bundle-service.mjs` copies this file to dist/service/main.js, with the name of the bundle.
// V8 compiles the bundle in about 0.5 s of processor time. The first process of a role keeps what was compiled until it was ready,
// beside the bundle, and later ones start with that, or with what the role `all` kept. Where the folder is read-only and has neither,
// each process compiles anew.
import { randomUUID } from "node:crypto"
import { subscribe } from "node:diagnostics_channel"
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { cachedDataVersionTag, deserialize, serialize } from "node:v8"
import { Script } from "node:vm"
import { crc32 } from "node:zlib"

const bundle = "BUNDLE"
const folder = dirname(fileURLToPath(import.meta.url))
const cacheFolder = join(folder, ".compiled")
const [role = "all"] = process.argv.slice(2)
// The bundle has a hash in its name, and the tag stands for the version and the options of V8.
const cacheFileOf = (role) => join(cacheFolder, `${bundle}-${cachedDataVersionTag()}-${role.replaceAll(/\W/g, "")}`)
const cacheFile = cacheFileOf(role)

const checksumOf = (data) => Buffer.from(Uint32Array.of(crc32(data)).buffer)

/** What V8 compiled, by the name of the file; empty if there is none, or if it was damaged. */
const readCache = (file) => {
  try {
    const stored = readFileSync(file)
    const data = stored.subarray(4)
    return stored.subarray(0, 4).equals(checksumOf(data)) ? deserialize(data) : new Map()
  } catch {
    return new Map()
  }
}

const own = readCache(cacheFile)
const cache = own.size > 0 ? own : readCache(cacheFileOf("all"))
let isUsable = own.size > 0
const scripts = new Map()
const modules = new Map()
const requirePackage = createRequire(import.meta.url)

const load = (name) => {
  const loaded = modules.get(name)
  if (loaded !== undefined) return loaded.exports
  const module = { exports: {} }
  const filename = join(folder, name)
  const source = `(function(exports, require, module, __filename, __dirname, importModule) {${
    readFileSync(filename, "utf8")
  }\n})`
  const script = new Script(source, { filename, cachedData: cache.get(name) })
  if (script.cachedDataRejected) isUsable = false
  scripts.set(name, script)
  modules.set(name, module)
  try {
    script.runInThisContext()(module.exports, requireAny, module, filename, folder, importModule)
  } catch (cause) {
    // Else the next one that loads it would get what is there of it.
    modules.delete(name)
    throw cause
  }
  return module.exports
}

const requireAny = (name) => name.startsWith("./") ? load(name.slice(2)) : requirePackage(name)

/** In a script that was compiled earlier, `import()` fails: the bundle calls this instead. */
const importModule = (name) => import(name)

const writeCache = () => {
  const data = serialize(new Map(Array.from(scripts, ([name, script]) => [name, script.createCachedData()])))
  // Under another name first: processes that start at the same time read all of it or nothing.
  const written = `${cacheFile}.${randomUUID()}`
  try {
    mkdirSync(cacheFolder, { recursive: true })
    writeFileSync(written, Buffer.concat([checksumOf(data), data]))
    renameSync(written, cacheFile)
  } catch {
    // The next process compiles anew.
    if (existsSync(written)) rmSync(written)
  }
}

if (process.sourceMapsEnabled) {
  // Node applies source maps only to what it loads itself.
  globalThis.importModule = importModule
  requirePackage(`./${bundle}`)
} else {
  subscribe("troupe.ready", () => {
    if (!isUsable) writeCache()
    own.clear()
    cache.clear()
    scripts.clear()
  })
  load(bundle)
}
