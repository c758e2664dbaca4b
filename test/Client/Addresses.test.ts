import { assert, it } from "@effect/vitest"
import { createTroupe } from "@troupe/client"

/** The requests of a client, which get this response. */
const recorded = (response: unknown = []) => {
  const requests: Array<Request> = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    requests.push(new Request(input, init))
    return Response.json(response)
  }
  return { fetch, requests }
}

it("A client of a service below a path keeps the path, and encodes what it puts behind it", async () => {
  const { fetch, requests } = recorded()
  const troupe = createTroupe({ url: "https://example.com/agents/", user: "ann", fetch })
  await troupe.list({ q: "a&b", include_archived: true, limit: 5 })
  await troupe.skills.find("a/b c")
  await troupe.files.remove("x/y.txt", { user: "bob" })
  assert.deepStrictEqual(requests.map(({ method, url }) => `${method} ${url}`), [
    "GET https://example.com/agents/tasks?q=a%26b&include_archived=true&limit=5",
    "GET https://example.com/agents/api/skills/a%2Fb%20c",
    "DELETE https://example.com/agents/files/bob/x%2Fy.txt"
  ])
})

it("A client without a token sends none, so that the cookie of a page counts", async () => {
  const { fetch, requests } = recorded({})
  await createTroupe({ url: "https://example.com", fetch }).system.version()
  await createTroupe({ url: "https://example.com", token: async () => "abc", fetch }).system.version()
  assert.deepStrictEqual(requests.map(({ headers }) => headers.get("authorization")), [null, "Bearer abc"])
  assert.deepStrictEqual(requests.map(({ credentials }) => credentials), ["same-origin", "same-origin"])
})

it("An answer names the question that it answers", async () => {
  const { fetch, requests } = recorded({ task: {} })
  await createTroupe({ url: "https://example.com", fetch }).answer("1", "Send", { tool_call_id: "call_7" })
  assert.deepStrictEqual(await requests[0]?.json(), { task_id: "1", response: "Send", tool_call_id: "call_7" })
})

it("A signal ends a call with its reason", async () => {
  const controller = new AbortController()
  const fetch: typeof globalThis.fetch = (_, { signal } = {}) =>
    new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)))
  const call = createTroupe({ url: "https://example.com", fetch }).schedules.list({}, { signal: controller.signal })
  const reason = new Error("The screen was left")
  controller.abort(reason)
  assert.strictEqual(await call.catch((error: unknown) => error), reason)
})
