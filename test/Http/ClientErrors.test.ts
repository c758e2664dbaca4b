import { HttpBody, HttpClient, type HttpClientResponse } from "@effect/platform"
import { assert, describe, layer } from "@effect/vitest"
import { Problem, ProblemError } from "@troupe/api/Problem"
import { SearchUnfinished } from "@troupe/domain/Search"
import { IdempotencyConflict, TaskNotFound, TaskRequestInvalid, TaskStateConflict } from "@troupe/domain/Task"
import { Effect, Schema } from "effect"
import { chat, fakes, withClient } from "./client.ts"
import { idOf } from "./Fakes.ts"
import { inProcess } from "./TestServer.ts"

layer(inProcess(fakes), { excludeTestServices: true })((it) => {
  describe("Errors over HTTP", () => {
    it.effect(
      "the client decodes the domain's errors",
      withClient((client, fakes) =>
        Effect.gen(function*() {
          const missing = yield* Effect.flip(client.tasks.find({ path: { task_id: idOf(7) } }))
          assert.instanceOf(missing, TaskNotFound)
          assert.strictEqual(missing.id, idOf(7))
          assert.instanceOf(yield* Effect.flip(client.tasks.retry({ path: { task_id: "nonsense" } })), TaskNotFound)
          yield* client.tasks.chat(chat)
          const conflict = yield* Effect.flip(
            client.tasks.humanResponse({ payload: { task_id: idOf(1), response: "yes" } })
          )
          assert.instanceOf(conflict, TaskStateConflict)
          assert.strictEqual(conflict.status, "pending")
          for (
            const error of [
              new IdempotencyConflict({ key: "k", because: "other body" }),
              new TaskRequestInvalid({ path: "attachments.0", reason: "no such file" })
            ]
          ) {
            fakes.submit = () => Effect.fail(error)
            const received = yield* Effect.flip(client.tasks.chat(chat))
            assert.strictEqual(received._tag, error._tag)
            assert.strictEqual(received.message, error.message)
          }
        })
      )
    )

    it.effect(
      "a domain error is a problem on the wire, with its facts",
      withClient(() =>
        Effect.gen(function*() {
          const http = yield* HttpClient.HttpClient
          const answer = yield* http.get(`/task/${idOf(7)}`)
          assert.strictEqual(answer.headers["content-type"], "application/problem+json")
          assert.deepStrictEqual(yield* answer.json, {
            type: "/problems/task-not-found",
            title: "No such task",
            status: 404,
            detail: `There is no task ${idOf(7)}.`,
            instance: answer.headers["x-request-id"],
            facts: { id: idOf(7) }
          })
        })
      )
    )

    it.effect(
      "invalid input is reported whole, in the body and in the query",
      withClient(() =>
        Effect.gen(function*() {
          const http = yield* HttpClient.HttpClient
          const pathsOf = (answer: HttpClientResponse.HttpClientResponse) =>
            Effect.map(
              Effect.flatMap(answer.json, Schema.decodeUnknown(Problem)),
              ({ errors = [] }) => errors.map(({ path }) => path)
            )
          const body = yield* HttpBody.json({ message: "", title: 7, attachments: "a.txt" })
          assert.sameMembers([...yield* pathsOf(yield* http.post("/chat", { body }))], [
            "message",
            "title",
            "attachments"
          ])
          const list = yield* http.get("/tasks?limit=0&status=lost")
          assert.sameMembers([...yield* pathsOf(list)], ["limit", "status"])
        })
      )
    )

    it.effect(
      "a search that timed out is 503, with advice and Retry-After",
      withClient((client, fakes) =>
        Effect.gen(function*() {
          fakes.list = new SearchUnfinished({ reason: "slow" })
          assert.instanceOf(yield* Effect.flip(client.tasks.list({ urlParams: {} })), SearchUnfinished)
          const http = yield* HttpClient.HttpClient
          const answer = yield* http.get("/tasks?q=anything")
          assert.strictEqual(answer.status, 503)
          assert.match(answer.headers["retry-after"] ?? "", /^[1-9][0-9]*$/)
          assert.deepInclude(yield* answer.json, {
            type: "/problems/search-unfinished",
            detail: "The search timed out. Narrow it by filters or other words, or try again later."
          })
        })
      )
    )

    it.effect(
      "the client decodes every other problem as a ProblemError",
      withClient((client, fakes) =>
        Effect.gen(function*() {
          fakes.submit = () => Effect.die("a defect")
          const error = yield* Effect.flip(client.tasks.chat(chat))
          assert.instanceOf(error, ProblemError)
          assert.strictEqual(error.status, 500)
          assert.strictEqual(error.type, "/problems/internal")
        })
      )
    )
  })
})
