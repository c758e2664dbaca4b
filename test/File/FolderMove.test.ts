import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { alice, bob, eachWay, secret } from "./place.ts"

/** The files below a folder with their content. */
const contents = (folder: string): Record<string, string> =>
  Object.fromEntries(
    fs.readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name, parentPath }) => join(parentPath, name))
      .map((path) => [path.slice(folder.length + 1), fs.readFileSync(path, "utf8")] as const)
      .toSorted(([one], [other]) => one < other ? -1 : 1)
  )

eachWay("A move of all files", (test) => {
  test("overwrites nothing, follows no link and may be repeated", function*({ at, home, outside, root, sandbox }) {
    fs.rmSync(join(root, "bob", "secret.txt"))
    yield* sandbox.write(alice, "a/plan.md", "Alice's")
    yield* sandbox.write(alice, "a/plan (2).md", "Alice's second")
    yield* sandbox.write(alice, "data", "a file here, a folder there")
    yield* sandbox.write(bob, "a/plan.md", "Bob's")
    yield* sandbox.write(bob, "a/b/only.md", "Bob's alone")
    yield* sandbox.write(bob, "data/x.csv", "1")
    yield* sandbox.write(bob, "secret.txt", secret)
    fs.symlinkSync(outside, join(root, "bob", "link"))
    const expected = {
      "a/b/only.md": "Bob's alone",
      "a/plan (2).md": "Alice's second",
      "a/plan (3).md": "Bob's",
      "a/plan.md": "Alice's",
      "data": "a file here, a folder there",
      "data (2)/x.csv": "1",
      "secret.txt": secret
    }
    for (let again = 0; again < 2; again++) {
      yield* sandbox.moveAll(bob, alice)
      assert.deepStrictEqual(contents(home), expected)
      assert.isTrue(fs.lstatSync(at("link")).isSymbolicLink())
      assert.isFalse(fs.existsSync(join(root, "bob")))
    }
    // What the check after each test expects.
    yield* sandbox.write(bob, "secret.txt", secret)
  })

  test(
    "goes on where an earlier one was killed, between the new name of a file and the end of the old one",
    function*({ at, home, root, sandbox }) {
      yield* sandbox.write(bob, "plan.md", "Bob's")
      yield* sandbox.write(alice, "plan.md", "Alice's")
      fs.linkSync(join(root, "bob", "plan.md"), at("plan (2).md"))
      yield* sandbox.moveAll(bob, alice)
      assert.deepStrictEqual(contents(home), {
        "plan (2).md": "Bob's",
        "plan.md": "Alice's",
        "secret.txt": secret
      })
      assert.strictEqual((yield* sandbox.read(alice, "plan (2).md")).text, "Bob's", "it has one name")
      yield* sandbox.write(bob, "secret.txt", secret)
    }
  )

  test("loses nothing when several processes do it at once", function*({ home, root, sandbox }) {
    const names = Array.from({ length: 60 }, (_, n) => `${n % 3 === 0 ? "deep/er/" : ""}file ${n}.txt`)
    for (const name of names) yield* sandbox.write(bob, name, `Bob's ${name}`)
    for (const name of names.slice(0, 20)) yield* sandbox.write(alice, name, `Alice's ${name}`)
    yield* Effect.all(Array.from({ length: 4 }, () => sandbox.moveAll(bob, alice)), { concurrency: "unbounded" })
    yield* sandbox.moveAll(bob, alice)
    assert.isFalse(fs.existsSync(join(root, "bob")))
    assert.deepStrictEqual(
      Object.values(contents(home)).toSorted(),
      [secret, ...names.map((name) => `Bob's ${name}`), ...names.slice(0, 20).map((name) => `Alice's ${name}`)]
        .toSorted()
    )
    yield* sandbox.write(bob, "secret.txt", secret)
  })
})
