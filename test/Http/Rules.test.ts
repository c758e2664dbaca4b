import { assert, describe, it } from "@effect/vitest"
import { version } from "@troupe/domain/Version"
import { Arbitrary, FastCheck, Schema } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { callerAddress } from "../../src/Http/Callers.ts"
import { unstorableText } from "../../src/Runtime/Database/StorableText.ts"
import { depthExceeds } from "../../src/Runtime/JsonDepth.ts"

const project = new URL("../../", import.meta.url)

const depthOf = (value: unknown): number =>
  typeof value !== "object" || value === null ? 0 : 1 + Math.max(0, ...Object.values(value).map(depthOf))

const json = Arbitrary.make(Schema.Unknown).chain(() => FastCheck.jsonValue({ depthSize: "large", maxDepth: 8 }))

describe("JSON text", () => {
  it.prop("the depth of a text is the depth of its value", [json, FastCheck.nat(9)], ([value, limit]) => {
    assert.strictEqual(depthExceeds(JSON.stringify(value), limit), depthOf(value) > limit)
  })

  it.prop(
    "well-formed text without NUL is storable",
    [FastCheck.array(FastCheck.string({ unit: "grapheme" }))],
    ([texts]) => {
      assert.deepStrictEqual(unstorableText({ texts: texts.map((text) => text.replaceAll("\0", "")) }), [])
    }
  )

  it("names of fields are text too", () => {
    assert.deepStrictEqual(unstorableText({ a: { "b\0": 1 } }).map(({ path }) => path), ["a"])
  })
})

describe("Caller", () => {
  it("only trusted proxies are accepted, from the right, up to the first that is not trusted", () => {
    const address = callerAddress(["10.0.0.0/8", "::1"])
    assert.strictEqual(address("203.0.113.9", "1.2.3.4"), "203.0.113.9")
    assert.strictEqual(address("10.1.2.3", "6.6.6.6, 1.2.3.4"), "1.2.3.4")
    assert.strictEqual(address("::ffff:10.1.2.3", "6.6.6.6, 1.2.3.4, 10.9.9.9"), "1.2.3.4")
    assert.strictEqual(address("::1", "not an address"), "::1")
    assert.strictEqual(address("10.1.2.3", undefined), "10.1.2.3")
  })
})

it("the version is the one of every package", () => {
  const packages = ["", ...readdirSync(new URL("packages/", project)).map((name) => `packages/${name}/`)]
  for (const folder of packages) {
    const text = readFileSync(new URL(`${folder}package.json`, project), "utf8")
    const versions = Array.from(text.matchAll(/"(?:version|@troupe\/\w+)": "(\d[^"]+)"/g), ([, found]) => found)
    assert.deepStrictEqual([...new Set(versions)], [version], folder)
  }
})
