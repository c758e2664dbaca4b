import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, isProblem, request } from "./RawHttp.ts"
import { Service } from "./service.ts"

export type Json = Readonly<Record<string, unknown>>

/** The id of nothing. */
export const absent = "0199f0c2-7d5a-7c3e-9b1f-2f6a4c8d1e55"

/** Calls the service, and sees the status. */
export const call = (
  method: string,
  path: string,
  status: number,
  body?: Json,
  headers: Readonly<Record<string, string>> = {}
) =>
  Effect.gen(function*() {
    const { port } = yield* Service
    const answer = yield* request(port, {
      method,
      path,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    assert.strictEqual(answer.status, status, `${method} ${path}: ${answer.text}`)
    return answer
  })

/** The same; yields the object that is answered. */
export const object = (...given: Parameters<typeof call>) => Effect.map(call(...given), ({ json }) => json as Json)

/** Calls that are refused by a problem of this kind; yields the fields that it names. */
export const refused = (slug: string, ...given: Parameters<typeof call>) =>
  Effect.map(call(...given), (answer) => isProblem(answer, given[2], slug).errors?.map(({ path }) => path))

const nextOf = ({ headers }: Answer) => /^<(.*)>; rel="next"$/.exec(headers["link"] ?? "")?.[1]

/** All entries of a listing, one a page. */
export const listed = (path: string) =>
  Effect.gen(function*() {
    const found: Array<Json> = []
    let next: string | undefined = `${path}${path.includes("?") ? "&" : "?"}limit=1`
    while (next !== undefined) {
      const answer: Answer = yield* call("GET", next, 200)
      const page = answer.json as ReadonlyArray<Json>
      assert.isAtMost(page.length, 1)
      found.push(...page)
      next = nextOf(answer)
    }
    return found
  })
