import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Either, Fiber, TestClock } from "effect"
import { type ReadPage, readPages, type ToolPages } from "../../src/ToolServer/ToolPages.ts"

const limit = Duration.seconds(60)

const named = (...names: ReadonlyArray<string>) => names.map((name) => ({ name }))

/** The pages by their cursors; the first one is at "first", and an unknown cursor is refused. */
const server =
  (pages: Readonly<Record<string, Readonly<Record<string, unknown>>>>, asked: Array<unknown> = []): ReadPage =>
  (cursor) => {
    asked.push(cursor)
    const page = pages[cursor === undefined ? "first" : `${typeof cursor} ${cursor}`]
    return page === undefined ? Effect.fail("Invalid cursor") : Effect.succeed(page)
  }

const expects = ({ listed, warnings }: ToolPages, names: string, warning: RegExp | null) => {
  assert.deepStrictEqual(listed, named(...names.split(" ").filter((name) => name !== "")))
  if (warning === null) return assert.deepStrictEqual(warnings, [])
  assert.lengthOf(warnings, 1)
  return assert.match(warnings[0] ?? "", warning)
}

describe("The list of a server's tools", () => {
  const cases: ReadonlyArray<
    readonly [title: string, pages: Parameters<typeof server>[0], names: string, warning: RegExp | null]
  > = [
    ["of one page", { first: { tools: named("a") } }, "a", null],
    ["with a last cursor that is null", { first: { tools: named("a"), nextCursor: null } }, "a", null],
    ["with a last cursor that is empty, and then refused", { first: { tools: named("a"), nextCursor: "" } }, "a", null],
    [
      "with an empty cursor that is one like any other",
      { first: { tools: named("a"), nextCursor: "" }, "string ": { tools: named("b") } },
      "a b",
      null
    ],
    [
      "with an empty cursor that begins anew",
      { first: { tools: named("a"), nextCursor: "" }, "string ": { tools: named("a"), nextCursor: "" } },
      "a a",
      null
    ],
    [
      "with a cursor that never advances",
      { first: { tools: named("a"), nextCursor: "x" }, "string x": { tools: named("a"), nextCursor: "x" } },
      "a a",
      /same next page again and again; the tools of 2 pages are used/
    ],
    [
      "with a circle of cursors",
      {
        first: { tools: named("a"), nextCursor: "x" },
        "string x": { tools: named("b"), nextCursor: "y" },
        "string y": { tools: named("c"), nextCursor: "x" }
      },
      "a b c",
      /same next page again and again; the tools of 3 pages are used/
    ],
    [
      "with a new cursor for the same tools",
      { first: { tools: named("a"), nextCursor: "x" }, "string x": { tools: named("a"), nextCursor: "y" } },
      "a a",
      /repeats the same tools/
    ],
    [
      "with a later page that fails",
      { first: { tools: named("a"), nextCursor: "x" } },
      "a",
      /^page 2 of its tools could not be read: Invalid cursor$/
    ],
    [
      "with a cursor that is a number",
      { first: { tools: named("a"), nextCursor: 0 }, "number 0": { tools: named("b") } },
      "a b",
      null
    ],
    [
      "with a cursor that is a number and taken as a text only",
      { first: { tools: named("a"), nextCursor: 2 }, "string 2": { tools: named("b") } },
      "a b",
      null
    ],
    [
      "with a cursor that is none",
      { first: { tools: named("a"), nextCursor: { page: 2 } } },
      "a",
      /no text; the tools of its first page/
    ],
    [
      "with an empty page",
      { first: { tools: [], nextCursor: "x" }, "string x": { tools: named("a") } },
      "a",
      null
    ],
    [
      "with a page without tools",
      { first: { nextCursor: "x" }, "string x": { tools: named("a") } },
      "a",
      /^page 1 of its tools has no list of them$/
    ],
    ["with tools that are no list", { first: { tools: { a: {} } } }, "", /^page 1 of its tools has no list of them$/]
  ]
  for (const [title, pages, names, warning] of cases) {
    it.effect(title, () => Effect.map(readPages(server(pages), limit), (read) => expects(read, names, warning)))
  }

  it.effect("fails with its first page", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* Effect.flip(readPages(server({}), limit)), "Invalid cursor")
      const reading = yield* Effect.fork(Effect.either(readPages(() => Effect.never, limit)))
      yield* TestClock.adjust(limit)
      assert.deepStrictEqual(yield* Fiber.join(reading), Either.left("no answer within 1m"))
    }))

  it.effect("ends after 50 pages, or where it has too many tools", () =>
    Effect.gen(function*() {
      const asked: Array<unknown> = []
      const endless = (size: number): ReadPage => (cursor) => {
        asked.push(cursor)
        const names = Array.from({ length: size }, (_, index) => `${asked.length}-${index}`)
        return Effect.succeed({ tools: named(...names), nextCursor: String(asked.length) })
      }
      const { listed, warnings } = yield* readPages(endless(1), limit)
      assert.deepStrictEqual([asked.length, listed.length], [50, 50])
      assert.deepStrictEqual(warnings, ["its list has more than 50 pages; the tools of 50 pages are used"])
      asked.length = 0
      assert.strictEqual((yield* readPages(endless(100), limit)).listed.length, 300)
      assert.strictEqual(asked.length, 3)
    }))

  it.effect("has the pages before one that takes too long", () =>
    Effect.gen(function*() {
      const page: ReadPage = (cursor) =>
        cursor === undefined ? Effect.succeed({ tools: named("a"), nextCursor: "x" }) : Effect.never
      const reading = yield* Effect.fork(readPages(page, limit))
      yield* TestClock.adjust(limit)
      expects(yield* Fiber.join(reading), "a", /^after 1 page of its tools, the others took more than 1m$/)
    }))
})
