import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { pageById, type PageRequest } from "../../src/Runtime/Database/Page.ts"

const megabyte = 1_000_000
const sizes = [5 * megabyte, ...Array.from({ length: 8 }, () => megabyte), ...Array.from({ length: 250 }, () => 1)]
const entries = sizes.map((size, index) => ({ id: `entry-${index}`, text: "x".repeat(size) }))

/** Reads a piece of the entries as a database would. */
const read = ({ cursor, limit }: PageRequest<string>) =>
  Effect.sync(() => {
    const from = Option.match(cursor, {
      onNone: () => 0,
      onSome: (last) => entries.findIndex(({ id }) => id === last) + 1
    })
    return entries.slice(from, from + limit)
  })

/** The ids on a page, and the address of the next one. */
const pageAt = (url: string) => {
  const { searchParams } = new URL(url, "http://localhost")
  const query = { limit: Number(searchParams.get("limit")), cursor: searchParams.get("cursor") ?? undefined }
  return Effect.map(pageById({ request: { url }, urlParams: query }, read), ({ body, headers }) => {
    assert(body._tag === "Uint8Array")
    const found: typeof entries = JSON.parse(Buffer.from(body.body).toString())
    return { ids: found.map(({ id }) => id), next: /<(.*)>; rel="next"/.exec(headers["link"] ?? "")?.[1] }
  })
}

describe("A page", () => {
  it.effect("of long entries ends at some megabytes, and links to the next", () =>
    Effect.gen(function*() {
      const pages: Array<ReadonlyArray<string>> = []
      for (let url: string | undefined = "/entries?limit=1000"; url !== undefined;) {
        const page: Effect.Effect.Success<ReturnType<typeof pageAt>> = yield* pageAt(url)
        pages.push(page.ids)
        url = page.next
      }
      assert.deepStrictEqual(pages.map(({ length }) => length), [1, 3, 3, 252])
      assert.deepStrictEqual(pages.flat(), entries.map(({ id }) => id))
    }))

  it.effect("has no more entries than the request wants, however many pieces they come in", () =>
    Effect.gen(function*() {
      for (const limit of [1, 100, 101, 240, 250]) {
        const { ids, next } = yield* pageAt(`/entries?limit=${limit}&cursor=entry-8`)
        assert.deepStrictEqual(ids, entries.slice(9, 9 + limit).map(({ id }) => id))
        assert.strictEqual(next !== undefined, limit < 250)
      }
    }))
})
