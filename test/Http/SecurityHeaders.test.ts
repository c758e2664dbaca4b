import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeFakes } from "./Fakes.ts"
import { hosted, message } from "./hardening.ts"
import { type Answer, answerTo, isProblem, post, request } from "./RawHttp.ts"
import { onServer, started } from "./TestServer.ts"

const get = (port: number, path: string) => request(port, { path })

const policyOf = ({ headers }: Answer) => headers["content-security-policy"] ?? ""

const inHostedMode = (settings: Readonly<Record<string, string>>) => started(makeFakes(), { ...hosted, ...settings })

describe("Every response", () => {
  onServer("runs and loads nothing, can't be framed, and tells other sites no address", function*({ port }) {
    const malformed = yield* answerTo(port, "HELLO\r\n\r\n")
    isProblem(malformed, 400, "invalid-request")
    const answers = [
      malformed,
      yield* get(port, "/health"),
      yield* get(port, "/nothing"),
      yield* get(port, "/openapi.json"),
      yield* post(port, "/chat", message),
      yield* post(port, "/chat", {}),
      yield* request(port, { path: "/tasks", headers: { host: "evil.example" } })
    ]
    assert.deepStrictEqual(answers.map(({ status }) => status), [400, 200, 404, 200, 202, 400, 403])
    for (const answer of answers) {
      assert.match(policyOf(answer), /^default-src 'none';.* frame-ancestors 'none'$/)
      assert.deepInclude(answer.headers, { "referrer-policy": "same-origin", "x-content-type-options": "nosniff" })
      assert.notProperty(answer.headers, "strict-transport-security")
    }
  })

  onServer(
    "has a policy for the pages of the docs that allows scripts in files of this service only",
    function*({ port }) {
      for (const path of ["/docs", "/redoc"]) {
        const page = yield* get(port, path)
        assert.include(policyOf(page), "script-src 'self' 'wasm-unsafe-eval';", path)
        assert.include(policyOf(page), "frame-ancestors 'none'", path)
        assert.strictEqual(page.headers["referrer-policy"], "same-origin")
        assert.notMatch(page.text, /<script>/, path)
      }
    }
  )

  it.scopedLive("asks for https for a year in hosted mode, if the service is reached by https", () =>
    Effect.gen(function*() {
      const secure = yield* inHostedMode({ BACKEND_API_URL: "https://troupe.example" })
      for (const answer of [yield* get(secure, "/health"), yield* answerTo(secure, "HELLO\r\n\r\n")]) {
        assert.strictEqual(answer.headers["strict-transport-security"], "max-age=31536000")
      }
      const plain = yield* get(yield* inHostedMode({ BACKEND_API_URL: "http://troupe.example" }), "/health")
      assert.notProperty(plain.headers, "strict-transport-security")
    }))
})
