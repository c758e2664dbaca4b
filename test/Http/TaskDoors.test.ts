import { HttpClient, HttpClientRequest } from "@effect/platform"
import { assert, layer } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { Effect, Option } from "effect"
import { idOf, inProcess, makeStage, makeTask } from "./TestServer.ts"

const post = (path: string, body: unknown) =>
  Effect.flatMap(
    HttpClient.HttpClient,
    (http) => http.execute(HttpClientRequest.post(path).pipe(HttpClientRequest.bodyUnsafeJson(body)))
  )

const get = (path: string) => Effect.flatMap(HttpClient.HttpClient, (http) => http.get(path))

const stage = makeStage()

/** A stage with one task on it, to which nothing was said yet. */
const cleared = Effect.sync(() => {
  stage.submitted.length = 0
  stage.answer = null
}).pipe(Effect.zipRight(post("/chat", { message: "Say hello" })))

layer(inProcess(stage), { excludeTestServices: true })("Over HTTP", (it) => {
  it.effect("an answer is taken with 202 and the task, and handed over with who gave it", () =>
    Effect.gen(function*() {
      yield* cleared
      const answers: Array<unknown> = []
      stage.answer = (...given) =>
        Effect.sync(() => {
          answers.push(given)
          return { ...makeTask(given[0]), status: "running" }
        })
      const answer = yield* post("/human_response", { task_id: idOf(1), response: "Blue", user_id: "bob", extra: 1 })
      assert.strictEqual(answer.status, 202)
      assert.deepStrictEqual(yield* answer.json, {
        task_id: idOf(1),
        status: "running",
        task: { ...makeTask(idOf(1)), status: "running" }
      })
      yield* post("/human_response", { task_id: idOf(1), response: "Red", user_id: null })
      assert.deepStrictEqual(answers, [
        [idOf(1), "Blue", Option.some(UserId.make("bob"))],
        [idOf(1), "Red", Option.none()]
      ])
    }))

  it.effect("an answer to an unknown task is 404, one to a task that does not wait 409, and none at all 400", () =>
    Effect.gen(function*() {
      yield* cleared
      for (const task_id of [idOf(7), "nonsense"]) {
        assert.strictEqual((yield* post("/human_response", { task_id, response: "Blue" })).status, 404)
      }
      assert.strictEqual((yield* post("/human_response", { task_id: idOf(1), response: "Blue" })).status, 409)
      assert.strictEqual((yield* post("/human_response", { task_id: idOf(1), response: "" })).status, 400)
    }))

  it.effect("a conversation comes as the model sees it, and whole with ?full=true", () =>
    Effect.gen(function*() {
      yield* cleared
      const [seen, whole] = [{ role: "system", content: "Say hello" }, { role: "user", content: "Say hello" }]
      for (const [query, message] of [["", seen], ["?full=false", seen], ["?full=true", whole]] as const) {
        const answer = yield* get(`/task/${idOf(1)}/messages${query}`)
        assert.strictEqual(answer.status, 200)
        assert.deepStrictEqual(yield* answer.json, [message])
      }
      assert.strictEqual((yield* get(`/task/${idOf(1)}/messages?full=perhaps`)).status, 400)
      assert.strictEqual((yield* get(`/task/${idOf(7)}/messages?full=true`)).status, 404)
    }))

  it.effect("lists have a hundred entries unless the caller asks for more or fewer, up to a thousand", () =>
    Effect.gen(function*() {
      yield* cleared
      const [request] = stage.submitted
      if (request !== undefined) stage.submitted.push(...Array.from({ length: 1_000 }, () => request))
      for (const [query, count] of [["", 100], ["?limit=1000", 1_000], ["?limit=1", 1]] as const) {
        for (const path of ["/tasks", `/task/${idOf(1)}/subtasks`]) {
          const answer = yield* get(`${path}${query}`)
          const page = yield* answer.json
          assert.strictEqual(Array.isArray(page) ? page.length : -1, count)
          assert.match(answer.headers["link"] ?? "", /rel="next"$/)
        }
      }
      for (const limit of ["0", "1001", "1.5", "all"]) {
        assert.strictEqual((yield* get(`/tasks?limit=${limit}`)).status, 400)
      }
    }))
})
