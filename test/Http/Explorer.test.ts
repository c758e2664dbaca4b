import { OpenApi } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { requestExamples } from "@troupe/api/Examples"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Effect } from "effect"
import { browser, browserNeed, openPage } from "../console/Browser.ts"
import { makeFakes } from "./Fakes.ts"
import { started } from "./TestServer.ts"

const spec = OpenApi.fromApi(TroupeApi)

const operations = Object.entries(spec.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, { summary }]) => `${method.toUpperCase()} ${path}: ${summary}`)
)

describe.skipIf(browserNeed.isMissing)(
  browserNeed.named("The pages of the API in a browser without other servers"),
  () => {
    it.scopedLive("list every operation, and make a task by \"try it\"", () =>
      Effect.gen(function*() {
        const fakes = makeFakes()
        const origin = `http://localhost:${yield* started(fakes)}`
        const { faults, page } = yield* openPage(yield* browser, origin)
        yield* Effect.promise(() => page.goto(`${origin}/docs`, { waitUntil: "load" }))
        const chat = page.locator(".opblock[id$='chat']")
        yield* Effect.promise(() => chat.waitFor())
        const summaries = yield* Effect.promise(() => page.locator(".opblock-summary").allInnerTexts())
        const listed = summaries.map((text) =>
          text.replaceAll("\u200b", "").split("\n").map((part) => part.trim()).filter((part) => part !== "")
        )
        assert.sameMembers(listed.map(([method, path, summary]) => `${method} ${path}: ${summary}`), operations)

        yield* Effect.promise(() => chat.locator(".opblock-summary").click())
        yield* Effect.promise(() => chat.getByRole("button", { name: "Try it out" }).click())
        yield* Effect.promise(() => chat.getByRole("button", { name: "Execute" }).click())
        const answer = chat.locator(".live-responses-table tbody .response-col_status").first()
        assert.match(yield* Effect.promise(() => answer.innerText()), /^202\b/)
        assert.deepStrictEqual(fakes.submitted.map(({ message }) => message), [requestExamples["tasks.chat"].message])

        yield* Effect.promise(() => page.goto(`${origin}/redoc`, { waitUntil: "load" }))
        yield* Effect.promise(() => page.getByText("/chat").first().waitFor())
        const text = yield* Effect.promise(() => page.locator("body").innerText())
        for (const { name } of spec.tags) assert.include(text, name)
        assert.deepStrictEqual(faults, [])
      }))
  }
)
