import { HttpClient, HttpClientRequest, type HttpClientResponse } from "@effect/platform"
import { assert, describe, layer } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { Effect } from "effect"
import { chat, fakes, withClient } from "./client.ts"
import { idOf } from "./Fakes.ts"
import { inProcess } from "./TestServer.ts"

layer(inProcess(fakes), { excludeTestServices: true })((it) => {
  describe("Tasks over HTTP", () => {
    it.effect(
      "a chat makes a task, with the defaults, and answers its location",
      withClient((client, fakes) =>
        Effect.gen(function*() {
          const [accepted, response] = yield* client.tasks.chat({ ...chat, withResponse: true })
          assert.strictEqual(response.status, 202)
          assert.strictEqual(response.headers["location"], `/task/${accepted.task_id}`)
          assert.strictEqual(accepted.status, "pending")
          assert.isUndefined(fakes.submitted[0]?.idempotency)
          assert.strictEqual(fakes.submitted[0]?.userId, "default")
          const task = yield* client.tasks.find({ path: { task_id: accepted.task_id } })
          assert.deepStrictEqual(task, accepted.task)
        })
      )
    )

    it.effect(
      "what the request names reaches the use-case, and null counts as absent",
      withClient((client, fakes) =>
        Effect.gen(function*() {
          const payload = {
            message: "m",
            user_id: UserId.make("ann"),
            assignee: UserId.make("bea"),
            title: "t",
            attachments: ["a.txt"],
            continue_task_id: idOf(9),
            max_tokens_total: 5_000,
            live: true
          }
          yield* client.tasks.chat({ headers: {}, payload })
          const [request] = fakes.submitted
          assert.strictEqual(request?.userId, "ann")
          assert.strictEqual(request?.assignee, "bea")
          assert.deepStrictEqual(request?.attachments, ["a.txt"])
          assert.strictEqual(request?.continueTaskId, idOf(9))
          assert.strictEqual(request?.live, true)
          const http = yield* HttpClient.HttpClient
          const nulls = HttpClientRequest.post("/chat").pipe(
            HttpClientRequest.bodyUnsafeJson({ message: "m", title: null, attachments: null, unknown: 1 })
          )
          assert.strictEqual((yield* http.execute(nulls)).status, 202)
          assert.isUndefined(fakes.submitted[1]?.title)
        })
      )
    )

    it.effect(
      "equal requests under one key have one digest, however their JSON is written",
      withClient((_, fakes) =>
        Effect.gen(function*() {
          const http = yield* HttpClient.HttpClient
          const send = (text: string) =>
            http.execute(
              HttpClientRequest.post("/chat").pipe(
                HttpClientRequest.setHeader("idempotency-key", "k"),
                HttpClientRequest.bodyText(text, "application/json")
              )
            )
          yield* send(`{"message":"m","title":"t"}`)
          yield* send(`{ "title":"t", "extra":1, "message":"m" }`)
          yield* send(`{"message":"m","title":"u"}`)
          const digests = fakes.submitted.map(({ idempotency }) => idempotency?.digest)
          assert.strictEqual(digests[0], digests[1])
          assert.notStrictEqual(digests[0], digests[2])
        })
      )
    )

    it.effect(
      "an idempotency key may have 255 characters and no more",
      withClient((client) =>
        Effect.gen(function*() {
          const keyed = (length: number) =>
            client.tasks.chat({ ...chat, headers: { "idempotency-key": "k".repeat(length) } })
          yield* keyed(255)
          const http = yield* HttpClient.HttpClient
          const answer = yield* http.execute(
            HttpClientRequest.post("/chat").pipe(
              HttpClientRequest.setHeader("idempotency-key", "k".repeat(256)),
              HttpClientRequest.bodyUnsafeJson(chat.payload)
            )
          )
          assert.strictEqual(answer.status, 400)
        })
      )
    )

    it.effect(
      "each listing links its next page until there is none",
      withClient((client) =>
        Effect.gen(function*() {
          yield* Effect.replicateEffect(client.tasks.chat(chat), 5)
          const http = yield* HttpClient.HttpClient
          for (const first of ["/tasks?limit=2&include_archived=true", `/task/${idOf(1)}/subtasks?limit=2`]) {
            const sizes: Array<number> = []
            for (let url = first; url !== "";) {
              const answer: HttpClientResponse.HttpClientResponse = yield* http.get(url)
              const page = yield* answer.json
              sizes.push(Array.isArray(page) ? page.length : -1)
              url = /^<(.*)>; rel="next"$/.exec(answer.headers["link"] ?? "")?.[1] ?? ""
              assert.isTrue(url === "" || url.startsWith(first))
            }
            assert.deepStrictEqual(sizes, [2, 2, 1])
          }
          const wrong = yield* http.get(`/task/${idOf(1)}/subtasks?limit=0&cursor=first`)
          assert.strictEqual(wrong.status, 400)
        })
      )
    )

    it.effect(
      "deleting answers 204 without a body",
      withClient((client) =>
        Effect.gen(function*() {
          yield* client.tasks.chat(chat)
          const [, response] = yield* client.tasks.remove({ path: { task_id: idOf(1) }, withResponse: true })
          assert.strictEqual(response.status, 204)
        })
      )
    )

    it.effect(
      "a cancel may come without a body",
      withClient((client) =>
        Effect.gen(function*() {
          yield* client.tasks.chat(chat)
          const http = yield* HttpClient.HttpClient
          const answer = yield* http.execute(HttpClientRequest.post(`/task/${idOf(1)}/cancel`))
          assert.strictEqual(answer.status, 202)
        })
      )
    )
  })

  describe("System over HTTP", () => {
    it.effect(
      "the root is JSON for programs, and redirects browsers to the docs while there is no console",
      withClient((client) =>
        Effect.gen(function*() {
          const welcome = yield* client.system.welcome({})
          assert.deepInclude(welcome, { docs: "/docs", console: null })
          const http = yield* HttpClient.HttpClient
          const page = yield* http.get("/", { headers: { accept: "text/html,*/*" } })
          assert.strictEqual(page.status, 302)
          assert.strictEqual(page.headers["location"], "docs")
        })
      )
    )

    it.effect(
      "health, version and info answer in their schemas",
      withClient((client) =>
        Effect.gen(function*() {
          assert.strictEqual((yield* client.system.liveness({})).status, "ok")
          assert.strictEqual((yield* client.system.health({})).status, "ok")
          const { deployment_mode, features } = yield* client.system.version({})
          assert.strictEqual(deployment_mode, "self-hosted")
          assert.deepStrictEqual(features, {
            authentication: false,
            channels: false,
            chat: false,
            console: false,
            docs: true,
            events: true,
            language_model: false,
            mail_inbox: false,
            rate_limit: false,
            schedules: true,
            uploads: true,
            webhooks: true
          })
          assert.isFalse((yield* client.system.info({})).tools.uvx.available)
          assert.strictEqual((yield* client.tasks.workerHealth({})).status, "healthy")
        })
      )
    )
  })
})
