import { assert, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { alice, bob, eachWay, inSandbox, secret } from "./place.ts"

const put = (home: string, path: string, text = "x") => {
  fs.mkdirSync(join(home, dirname(path)), { recursive: true })
  fs.writeFileSync(join(home, path), text)
}

eachWay("The files of a user", (test) => {
  test("are listed with those in folders, by the names of their paths", function*(p) {
    for (const path of ["b.txt", "a/z.txt", "a/b/c.txt", "a-b.txt", "ä.txt"]) put(p.home, path)
    const listed = yield* p.sandbox.files(alice, { after: "", limit: 100 })
    assert.deepStrictEqual(listed.map(({ path }) => path), ["a/b/c.txt", "a/z.txt", "a-b.txt", "b.txt", "ä.txt"])
    assert.deepInclude(listed[0], { name: "c.txt", kind: "file", size: 1 })
  })

  test("are only regular files with names that a path can have", function*(p) {
    put(p.home, "seen.txt")
    for (const name of ["line\nbreak.txt", "dot.", "nul"]) put(p.home, name)
    fs.symlinkSync(p.outside, p.at("out"))
    fs.symlinkSync(p.at("seen.txt"), p.at("link.txt"))
    fs.mkdirSync(p.at("empty"))
    assert.deepStrictEqual(
      (yield* p.sandbox.files(alice, { after: "", limit: 100 })).map(({ path }) => path),
      ["seen.txt"]
    )
    assert.deepStrictEqual(yield* p.sandbox.files(bob, { after: "secret.txt", limit: 100 }), [])
  })

  test("are deleted one at a time; a link is deleted, not what it leads to, and a folder is not", function*(p) {
    put(p.home, "a/b.txt")
    put(p.home, "cafe\u0301.txt")
    fs.symlinkSync(join(p.outside, "secret.txt"), p.at("link.txt"))
    fs.symlinkSync(p.outside, p.at("out"))
    yield* p.sandbox.remove(alice, "a/b.txt")
    yield* p.sandbox.remove(alice, "caf\u00e9.txt")
    yield* p.sandbox.remove(alice, "link.txt")
    assert.deepStrictEqual(fs.readdirSync(p.home), ["a", "out"])
    for (const path of ["a", ".", "", "a/b.txt", "out/secret.txt", "../bob/secret.txt", "/etc/passwd", "a\0"]) {
      assert.isTrue(yield* Effect.isFailure(p.sandbox.remove(alice, path)), path)
    }
    assert.strictEqual(fs.readFileSync(join(p.root, "bob", "secret.txt"), "utf8"), secret)
  })
})

it.effect.prop(
  "Pages of any length show each file once, in order",
  [
    fc.uniqueArray(fc.array(fc.constantFrom("a", "b", "ab", "B", "é"), { minLength: 1, maxLength: 3 }), {
      selector: (names) => names.join("/"),
      maxLength: 12
    }),
    fc.integer({ min: 1, max: 4 })
  ],
  ([paths, limit]) =>
    inSandbox({}, (p) =>
      Effect.gen(function*() {
        const expected = paths.map((names) => `${names.map((name) => `${name}.d`).join("/")}/f.txt`)
        for (const path of expected) put(p.home, path)
        const seen: Array<string> = []
        for (let after = "";;) {
          const page = yield* p.sandbox.files(alice, { after, limit })
          seen.push(...page.map(({ path }) => path))
          const last = page.at(-1)
          if (last === undefined) break
          after = last.path
        }
        assert.deepStrictEqual([...seen].sort(), expected.sort())
        const all = yield* p.sandbox.files(alice, { after: "", limit: 1_000 })
        assert.deepStrictEqual(seen, all.map(({ path }) => path))
      })),
  { fastCheck: { numRuns: 30 } }
)
