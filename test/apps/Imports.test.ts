import { assert, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const project = fileURLToPath(new URL("../../", import.meta.url))

const sources = ["src", "packages"].flatMap((folder) =>
  readdirSync(join(project, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && !/node_modules|dist|\.d\.ts$/.test(file))
    .map((file) => join(project, folder, file))
)

it("No module imports the index of an Effect package, which loads all of it (of the platform alone 30 MB)", () => {
  const indexes = /^import (?!type).* from "@effect\/[a-z-]+"$/m
  assert.deepStrictEqual(sources.filter((file) => indexes.test(readFileSync(file, "utf8"))), [])
})

it("The service is bundled as scripts, so each package beside the bundle that it imports, unless by import(), has a form for scripts", () => {
  const { dependencies }: { readonly dependencies: object } = JSON.parse(
    readFileSync(join(project, "package.json"), "utf8")
  )
  const packageName = /^(?:@[^/]+\/)?[^/]+/
  const imported = sources.filter((file) => file.startsWith(join(project, "src"))).flatMap((file) =>
    Array.from(
      readFileSync(file, "utf8").matchAll(/^import (?!type)[^"]*? from "([^".]+[^"]*)"$/gm),
      ([, name = ""]) => name
    )
  ).filter((name) => Object.hasOwn(dependencies, packageName.exec(name)?.[0] ?? ""))
  const isModule = (file: string): boolean => {
    if (/\.[cm]js$/.test(file)) return file.endsWith(".mjs")
    const description = join(dirname(file), "package.json")
    if (!existsSync(description)) return isModule(dirname(file))
    const { type }: { readonly type?: string } = JSON.parse(readFileSync(description, "utf8"))
    return type === "module"
  }
  const { resolve } = createRequire(join(project, "package.json"))
  assert.isTrue(imported.includes("pg"))
  assert.deepStrictEqual([...new Set(imported)].filter((name) => isModule(resolve(name))), [])
})

it("Each package declares the packages that it imports", () => {
  for (const folder of readdirSync(join(project, "packages"))) {
    const path = join(project, "packages", folder)
    const { dependencies, devDependencies, peerDependencies }: Readonly<Record<string, object | undefined>> = JSON
      .parse(
        readFileSync(join(path, "package.json"), "utf8")
      )
    // What begins with `~` is made by a plugin of the build.
    const imported = sources.filter((file) => file.startsWith(join(path, "src"))).flatMap((file) =>
      Array.from(
        readFileSync(file, "utf8").matchAll(/ from "(?![.~]|node:)((?:@[^/"]+\/)?[^/"]+)/g),
        ([, name]) => name
      )
    )
    // The build puts what the console imports into its files.
    const bundled = folder === "console" ? devDependencies : {}
    const declared = Object.keys({ ...dependencies, ...peerDependencies, ...bundled })
    assert.deepStrictEqual([...new Set(imported)].filter((name = "") => !declared.includes(name)), [], folder)
  }
})

it("Each direct dependency has its reason in CONTRIBUTING.md", () => {
  const text = readFileSync(join(project, ".github/CONTRIBUTING.md"), "utf8")
  const named = Array.from(text.matchAll(/`([^`\s]+)`/g), ([, name = ""]) => name)
  const isNamed = (name: string) => named.includes(name) || named.includes(name.replace(/[^/]+$/, "*"))
  const folders = ["", ...readdirSync(join(project, "packages")).map((name) => join("packages", name))]
  const direct = folders.flatMap((folder) => {
    const { dependencies, devDependencies, optionalDependencies }: Readonly<Record<string, object | undefined>> = JSON
      .parse(readFileSync(join(project, folder, "package.json"), "utf8"))
    return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })
  })
  assert.deepStrictEqual(direct.filter((name) => !name.startsWith("@troupe/") && !isNamed(name)), [])
})
