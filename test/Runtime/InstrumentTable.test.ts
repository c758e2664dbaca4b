import { assert, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** `name type, label, label` of each instrument that the source declares, as GET /metrics shows it. */
const declared = readdirSync(`${root}/src`, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .flatMap((path) => {
    const source = readFileSync(`${root}/src/${path}`, "utf8")
    return Array.from(
      source.matchAll(/\b(counter|gauge|histogram|total)\(\s*"(troupe_\w+)",[^;]*?(?:\{([^}]*)\}\s*)?\)\n/g),
      ([, kind, name, labels = ""]) => {
        const isCount = kind === "counter" || kind === "total"
        const names = Array.from(labels.matchAll(/(\w+):/g), ([, label]) => label)
        return [isCount ? `${name}_total counter` : `${name} ${kind}`, ...names].join(", ")
      }
    )
  })

it("METRICS.md lists every instrument, with its type and labels, and no other", () => {
  const listed = Array.from(
    readFileSync(`${root}/src/Runtime/METRICS.md`, "utf8").matchAll(/^\| `(troupe_\w+)` \| ([^|]+) \|/gm),
    ([, name, facts = ""]) => `${name} ${facts.replaceAll("`", "").trim()}`
  )
  assert.isAbove(declared.length, 20)
  assert.deepStrictEqual(listed.toSorted(), declared.toSorted())
})
