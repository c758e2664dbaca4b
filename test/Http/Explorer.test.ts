import { HttpApi, OpenApi } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { parameterExamples, requestExamples, schemaExamples } from "@troupe/api/Examples"
import { Problem } from "@troupe/api/Problem"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Task } from "@troupe/domain/Task"
import { Effect, Option, Schema } from "effect"
import { spawnSync } from "node:child_process"
import { type Browser, chromium } from "playwright-core"
import { need } from "../support/Need.ts"
import { makeFakes } from "./Fakes.ts"
import { started } from "./TestServer.ts"

const spec = OpenApi.fromApi(TroupeApi)

const operations = Object.entries(spec.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation }))
)

/** Those of service.md that need no token, the page of the service, and the sign-in of browsers. */
const open = [
  "GET /",
  "GET /auth/callback",
  "GET /auth/login",
  "GET /health",
  "GET /metrics",
  "POST /team-chat/command",
  "POST /team-chat/dm_response",
  "POST /team-chat/interactive",
  "POST /webhook/team-chat"
]

describe("The OpenAPI document", () => {
  it("has a description, errors, security and examples of input for every operation", () => {
    const lacking = operations.flatMap(({ name, operation }) => {
      const { description, parameters, requestBody, responses, security } = operation
      const body = Object.entries(requestBody?.content ?? {}).find(([type]) => type === "application/json")
      return [
        ...(description === undefined || operation.summary === "" ? [`${name}: description`] : []),
        ...("default" in responses ? [] : [`${name}: errors`]),
        ...((security.length === 0) === open.includes(name) ? [] : [`${name}: security`]),
        ...(body === undefined || "example" in body[1] ? [] : [`${name}: example in packages/api/src/Examples.ts`]),
        ...parameters.filter(({ in: place, name }) => place === "path" && parameterExamples[name] === undefined)
          .map((parameter) => `${name}: example of ${parameter.name} in packages/api/src/Examples.ts`)
      ]
    })
    assert.deepStrictEqual(lacking, [])
  })

  it("has examples that the service accepts", () => {
    const wrong: Array<string> = []
    const used: Array<string> = []
    HttpApi.reflect(TroupeApi, {
      onGroup: () => {},
      onEndpoint: ({ endpoint, group }) => {
        const id = `${group.identifier}.${endpoint.name}`
        const example = Object.entries(requestExamples).find(([name]) => name === id)?.[1]
        if (Option.isNone(endpoint.payloadSchema) || example === undefined) return
        used.push(id)
        if (!Schema.is(Schema.encodedSchema(Schema.make(endpoint.payloadSchema.value.ast)))(example)) wrong.push(id)
      }
    })
    assert.deepStrictEqual(wrong, [])
    assert.deepStrictEqual(used.toSorted(), Object.keys(requestExamples).toSorted())
    assert.isTrue(Schema.is(Schema.encodedSchema(Task))(schemaExamples["Task"]))
    assert.isTrue(Schema.is(Schema.encodedSchema(Problem))(schemaExamples["Problem"]))
  })

  it("describes each problem with the facts that it has", () => {
    assert.nestedPropertyVal(
      spec,
      "components.schemas.TaskNotFoundProblem.properties.facts.properties.id.type",
      "string"
    )
    for (const { name, operation } of operations) {
      for (const [status, response] of Object.entries(operation.responses)) {
        if (!/^[45]/.test(status)) continue
        assert.deepStrictEqual(Object.keys(response.content ?? {}), ["application/problem+json"], `${name} ${status}`)
      }
    }
  })
})

const programs = ["chromium-headless-shell", "chromium", "google-chrome"]
const program = programs.find((name) => spawnSync(name, ["--version"]).status === 0)

const browser = need("Chromium (chromium-headless-shell)", program !== undefined)

const launched = Effect.acquireRelease(
  Effect.promise(() =>
    chromium.launch({
      executablePath: spawnSync("which", [program ?? ""], { encoding: "utf8" }).stdout.trim(),
      args: ["--no-sandbox"]
    })
  ),
  (browser) => Effect.promise(() => browser.close())
)

/** A page, with every request it makes and every error it reports. */
const opened = (browser: Browser, url: string) =>
  Effect.gen(function*() {
    const page = yield* Effect.promise(() => browser.newPage())
    const requests: Array<string> = []
    const errors: Array<string> = []
    page.on("request", (request) => void requests.push(request.url()))
    page.on("pageerror", (error) => void errors.push(error.message))
    // What the page's security policy blocks is reported here.
    page.on("console", (message) => void (message.type() === "error" && errors.push(message.text())))
    yield* Effect.promise(() => page.goto(url, { waitUntil: "load" }))
    return { page, requests, errors }
  })

describe.skipIf(browser.isMissing)(browser.named("The pages of the API in a browser without other servers"), () => {
  it.scopedLive("/docs lists every operation, and its \"try it\" makes a task", () =>
    Effect.gen(function*() {
      const fakes = makeFakes()
      const port = yield* started(fakes)
      const { errors, page, requests } = yield* opened(yield* launched, `http://localhost:${port}/docs`)
      const chat = page.locator(".opblock[id$='chat']")
      yield* Effect.promise(() => chat.waitFor())
      const summaries = yield* Effect.promise(() => page.locator(".opblock-summary").allInnerTexts())
      const listed = summaries.map((text) =>
        text.replaceAll("\u200b", "").split("\n").map((part) => part.trim()).filter((part) => part !== "")
      )
      assert.deepStrictEqual(
        listed.map(([method, path, summary]) => `${method} ${path}: ${summary}`).toSorted(),
        operations.map(({ name, operation }) => `${name}: ${operation.summary}`).toSorted()
      )

      yield* Effect.promise(() => chat.locator(".opblock-summary").click())
      yield* Effect.promise(() => chat.getByRole("button", { name: "Try it out" }).click())
      yield* Effect.promise(() => chat.getByRole("button", { name: "Execute" }).click())
      const answer = chat.locator(".live-responses-table tbody .response-col_status").first()
      assert.match(yield* Effect.promise(() => answer.innerText()), /^202\b/)
      assert.deepStrictEqual(fakes.submitted.map(({ message }) => message), [requestExamples["tasks.chat"].message])
      assert.deepStrictEqual(requests.filter((url) => !/^(?:data:|blob:|http:\/\/localhost:)/.test(url)), [])
      assert.deepStrictEqual(errors, [])
    }))

  it.scopedLive("/redoc shows the groups and the operations", () =>
    Effect.gen(function*() {
      const port = yield* started(makeFakes())
      const { errors, page, requests } = yield* opened(yield* launched, `http://localhost:${port}/redoc`)
      yield* Effect.promise(() => page.getByText("/chat").first().waitFor())
      const text = yield* Effect.promise(() => page.locator("body").innerText())
      for (const { name } of spec.tags) assert.include(text, name)
      assert.deepStrictEqual(requests.filter((url) => !/^(?:data:|blob:|http:\/\/localhost:)/.test(url)), [])
      assert.deepStrictEqual(errors, [])
    }))
})
