import { assert, describe, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"

const root = resolve(import.meta.dirname, "../..")
const staticImport = /^(?:import|export)\s+(?!type\b)(?:[^"']*?\sfrom\s+)?"([^"]+)"/gm

/** The packages that the modules import at once, they and what they import of ours. */
const packagesOf = (files: ReadonlyArray<string>): ReadonlySet<string> => {
  const packages = new Set<string>()
  const seen = new Set<string>()
  const queue = [...files]
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (seen.has(file)) continue
    seen.add(file)
    for (const [, name = ""] of readFileSync(file, "utf8").matchAll(staticImport)) {
      const imported = resolve(dirname(file), name)
      if (name.startsWith(".") && existsSync(imported)) queue.push(imported)
      else packages.add(name.split("/").slice(0, name.startsWith("@") ? 2 : 1).join("/"))
    }
  }
  return packages
}

const clients = ["@effect/ai-openai", "@effect/ai-anthropic"]

describe("The clients of the providers", () => {
  it("are loaded by no role as it starts, only by the layer of a provider that is configured", () => {
    const apps = join(root, "src/apps")
    const started = packagesOf([join(root, "src/main.ts"), ...readdirSync(apps).map((name) => join(apps, name))])
    assert.isTrue(started.has("@effect/platform-node"))
    for (const name of clients) assert.isFalse(started.has(name), name)
    assert.isTrue(packagesOf([join(root, "src/Model/OpenAiModel.ts")]).has("@effect/ai-openai"))
  })
})
