import { assert, describe, it } from "@effect/vitest"
import { type CallFragment, gatherCalls } from "../../src/Model/CallFragments.ts"

const tools = new Set(["list_directory", "read_file", "write_file"])

type Given = Partial<CallFragment>

/** Each item is a chunk of the stream. */
const gathered = (...chunks: ReadonlyArray<Given | ReadonlyArray<Given>>) => {
  const { calls, take } = gatherCalls(tools)
  for (const chunk of chunks) {
    const fragments = [chunk].flat()
    fragments.forEach((fragment, position) =>
      take(
        { id: "", index: undefined, name: "", arguments: "", fields: {}, ...fragment },
        position,
        fragments.length
      )
    )
  }
  return calls.map(({ arguments: given, name }) => [name, given])
}

const write = ["write_file", "{\"path\":\"a.txt\"}"]

describe("Fragments of a tool call", () => {
  it("are one call where another id comes with each", () => {
    const named = { index: 0, id: "a", name: "write_file" }
    const rest = [{ index: 0, id: "b", arguments: "{\"path\":" }, { index: 0, id: "c", arguments: "\"a.txt\"}" }]
    assert.deepStrictEqual(gathered(named, ...rest), [write])
    const repeated = rest.map((fragment) => ({ ...fragment, name: "write_file" }))
    assert.deepStrictEqual(gathered(named, ...repeated), [write])
  })

  it("are one call without an index, with the index of the first alone, and with a growing one", () => {
    const [first, ...rest] = [
      { id: "a", name: "write_file", arguments: "" },
      { arguments: "{\"path\":" },
      { arguments: "\"a.txt\"}" }
    ]
    assert.deepStrictEqual(gathered({ ...first }, ...rest), [write])
    assert.deepStrictEqual(gathered({ ...first, index: 0 }, ...rest), [write])
    assert.deepStrictEqual(gathered(...[{ ...first }, ...rest].map((one, index) => ({ ...one, index }))), [write])
    assert.deepStrictEqual(gathered(...[{ ...first }, ...rest].map((one) => ({ ...one, index: 0, id: "" }))), [write])
    assert.deepStrictEqual(gathered(...[{ ...first }, ...rest].map((one) => ({ ...one, id: "a" }))), [write])
  })

  it("are one call where id, name and arguments come apart", () => {
    assert.deepStrictEqual(
      gathered({ index: 0, id: "a" }, { index: 0, name: "write_file" }, { index: 0, arguments: write[1] }),
      [write]
    )
  })

  it("are one call where its name comes in pieces, or again and again", () => {
    const pieces = [{ name: "list_" }, { name: "directory" }, { arguments: "{}" }]
    const list = [["list_directory", "{}"]]
    for (const common of [{ index: 0 }, { index: 0, id: "a" }, {}, { id: "a" }]) {
      assert.deepStrictEqual(gathered(...pieces.map((piece) => ({ ...common, ...piece }))), list)
      const whole = { ...common, name: "list_directory" }
      assert.deepStrictEqual(gathered(whole, { ...whole, arguments: "{" }, { ...whole, arguments: "}" }), list)
      assert.deepStrictEqual(gathered({ ...common, name: "list_" }, whole, { ...whole, arguments: "{}" }), list)
      assert.deepStrictEqual(gathered({ ...whole, arguments: "{}" }, { ...whole, arguments: "" }), list)
    }
    assert.deepStrictEqual(gathered({ index: 0, name: "un", id: "a" }, { index: 0, name: "known", id: "a" }), [[
      "unknown",
      ""
    ]])
  })

  it("are one call where the whole call is repeated, or an empty object comes first", () => {
    const whole = { index: 0, id: "a", name: "write_file", arguments: write[1] }
    assert.deepStrictEqual(gathered(whole, whole), [write])
    assert.deepStrictEqual(gathered({ ...whole, arguments: "{}" }, { index: 0, arguments: write[1] }), [write])
  })

  it("are told apart by their index, also interleaved and in one chunk", () => {
    const both = [write, ["read_file", "{\"path\":\"b.txt\"}"]]
    assert.deepStrictEqual(
      gathered(
        [{ index: 0, id: "a", name: "write_file" }, { index: 1, id: "b", name: "read_file" }],
        { index: 1, arguments: "{\"path\":" },
        { index: 0, arguments: "{\"path\":" },
        [{ index: 0, arguments: "\"a.txt\"}" }, { index: 1, arguments: "\"b.txt\"}" }]
      ),
      both
    )
    assert.deepStrictEqual(
      gathered(
        [{ id: "a", name: "write_file" }, { id: "b", name: "read_file" }],
        [{ arguments: "{\"path\":" }, { arguments: "{\"path\":" }],
        { id: "b", arguments: "\"b.txt\"}" },
        { id: "a", arguments: "\"a.txt\"}" }
      ),
      both
    )
  })

  it.each([
    ["ids and names", { id: "a", name: "write_file" }, { id: "b", name: "read_file" }],
    ["ids alone", { id: "a", name: "write_file" }, { id: "b", name: "write_file" }],
    ["names alone", { name: "write_file" }, { name: "read_file" }]
  ])("are two calls where all have index 0 or none and differ in %s", (_, one, other) => {
    for (const index of [0, undefined]) {
      const calls = gathered({ index, ...one, arguments: "{}" }, { index, ...other, arguments: "{\"path\":\"b\"}" })
      assert.deepStrictEqual(calls, [[one.name, "{}"], [other.name, "{\"path\":\"b\"}"]])
    }
  })

  it("are two calls without arguments, too", () => {
    for (const index of [0, undefined]) {
      const calls = gathered({ index, name: "list_directory" }, { index, name: "read_file", arguments: "{}" })
      assert.deepStrictEqual(calls, [["list_directory", ""], ["read_file", "{}"]])
    }
  })

  it("may have the arguments as an object, or none", () => {
    const given = { path: "a.txt" }
    assert.deepStrictEqual(gathered({ index: 0, name: "write_file", arguments: given }, { index: 0 }), [[
      "write_file",
      given
    ]])
    assert.deepStrictEqual(gathered({ index: 0, name: "write_file" }, { index: 0, arguments: given }), [[
      "write_file",
      given
    ]])
    assert.deepStrictEqual(gathered({ index: 0, name: "list_directory", arguments: null }), [["list_directory", null]])
  })

  it("are no call where they say nothing", () => {
    assert.deepStrictEqual(gathered({ index: 0 }), [])
  })
})
