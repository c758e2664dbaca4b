import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { request } from "../Http/RawHttp.ts"
import { makeDeployment, makePorts, processTest } from "../support/Deployment.ts"
import { audience, makeIdentityProvider } from "../support/IdentityProvider.ts"
import { launch, start, until } from "../support/Processes.ts"

processTest("A hosted service starts only with all of its settings, and then works for its team", function*() {
  const { issuer, stop, token } = yield* makeIdentityProvider
  const deployment = yield* makeDeployment()
  const { environment, http: port } = yield* makePorts
  const half = { ...deployment.environment, ...environment, DEPLOYMENT_MODE: "hosted", OIDC_ISSUER: issuer }

  const refused = yield* launch("all", half)
  assert.deepInclude(yield* refused.ended, { code: 1 })
  const reason = yield* refused.stderr
  assert.include(reason, "OIDC_AUDIENCE is not set")
  assert.include(reason, "TEAM_OWNER_EMAIL is not set")

  yield* start("all", { ...half, OIDC_AUDIENCE: audience, TEAM_OWNER_EMAIL: "ada@example.org" })
  const send = (method: string, path: string, bearer: string | null, body?: unknown) =>
    request(port, {
      method,
      path,
      headers: bearer === null ? {} : { authorization: `Bearer ${bearer}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
  const ada = yield* token()
  const bea = yield* token({ sub: "bea", email: "bea@example.org" })
  yield* until("the sign-in works", Effect.map(send("GET", "/tasks", ada), ({ status }) => status === 200))
  assert.strictEqual((yield* send("GET", "/tasks", null)).status, 401)
  assert.strictEqual((yield* send("GET", "/tasks", bea)).status, 403)
  assert.strictEqual((yield* send("POST", "/team/invite", ada, { email: "bea@example.org" })).status, 201)
  yield* stop
  const made = yield* send("POST", "/chat", bea, { message: "use list_directory {}" })
  assert.strictEqual(made.status, 202, made.text)
  const { task_id }: { task_id: string } = JSON.parse(made.text)
  yield* until(
    "the task is completed",
    Effect.map(send("GET", `/task/${task_id}`, ada), ({ text }) => text.includes("\"status\":\"completed\""))
  )
  assert.strictEqual((yield* send("DELETE", `/task/${task_id}`, bea)).status, 204)
  assert.strictEqual((yield* send("POST", "/api/mcp/configure", bea, { mcpServers: {} })).status, 403)
})
