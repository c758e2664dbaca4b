// Adds to package-lock.json the packages for other platforms that `npm install` left out, which it does when the
// registry does not have them. Without their entries `npm ci` refuses the lock file. They carry no integrity
// until an `npm install` against a registry that has them fills it in; `npm install --package-lock-only` sorts them in.
import { readFileSync, writeFileSync } from "node:fs"

const file = new URL("../package-lock.json", import.meta.url)
const lock = JSON.parse(readFileSync(file, "utf8"))

const systems = ["android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "aix", "win32"]
const processors = ["arm64", "arm", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "wasm32", "x64"]

/** Platform by the name of a package: `@oxlint/binding-linux-arm-gnueabihf` is linux, arm, glibc. */
const platform = (name) => {
  if (name === "fsevents") return { os: ["darwin"] }
  const words = name.split(/[/-]/).map((word) => word === "windows" ? "win32" : word)
  const os = systems.filter((system) => words.includes(system))
  const cpu = processors.filter((processor) => words.includes(processor))
  const libc = words.some((word) => word.startsWith("musl")) ?
    ["musl"]
    : words.some((word) => word === "glibc" || word.startsWith("gnu")) && os[0] === "linux"
    ? ["glibc"]
    : undefined
  if (os.length + cpu.length === 0) throw new Error(`no platform in the name ${name}: add it by hand`)
  return { ...(cpu.length && { cpu }), ...(libc && { libc }), ...(os.length && { os }) }
}

/** Where node finds `name` from the package at `place`. */
const places = (place, name) => {
  const parents = place.split("/node_modules/").map((_, index, all) => all.slice(0, index + 1).join("/node_modules/"))
  return [...parents.reverse().map((parent) => `${parent}/node_modules/${name}`), `node_modules/${name}`]
}

const added = []
for (const [place, entry] of Object.entries(lock.packages)) {
  for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
    const version = range.replace(/^[~^]/, "")
    if (places(place, name).some((at) => at in lock.packages)) continue
    const at = `node_modules/${name}`
    lock.packages[at] = { version, ...(entry.dev && { dev: true }), optional: true, ...platform(name) }
    added.push(at)
  }
}

if (added.length > 0) writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
process.stdout.write(`${added.length} added\n`)
