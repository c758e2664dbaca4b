import { assert, describe, it } from "@effect/vitest"
import { ToolCallId, UserId } from "@troupe/domain/Ids"
import type { ImageReference, Message } from "@troupe/domain/Message"
import type { Step } from "@troupe/domain/Step"
import { Effect, Layer } from "effect"
import { makeGenerateWithImages } from "../../src/Agent/GenerateWithImages.ts"
import { Documents } from "../../src/File/Documents/Documents.ts"
import { Sandbox } from "../../src/File/Sandbox.ts"
import { type ChosenModel, imageUrlsOf, type ModelError, ModelRejected } from "../../src/Model/Model.ts"
import { readDocument } from "../../src/Tool/DocumentTools.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { png } from "../support/Images.ts"
import { readableFiles } from "../support/PromptContexts.ts"
import { asks, call, fails, says, scriptedModel, type Turn } from "../support/ScriptedModel.ts"
import { makeLoop, runLoop } from "./loop.ts"

const alice = UserId.make("alice")
const url = `data:image/png;base64,${png.toString("base64")}`

const image = (path: string, more: Partial<ImageReference> = {}): ImageReference => ({
  path,
  media_type: "image/png",
  size: null,
  digest: null,
  ...more
})

const showing = (...images: ReadonlyArray<ImageReference>): Message => ({ role: "user", content: "Look", images })

const asking = (
  [model, sandbox]: readonly [ChosenModel, Sandbox["Type"]],
  ...messages: ReadonlyArray<Message>
) => makeGenerateWithImages(sandbox)(model, alice, { system: "", messages, tools: { tools: [] } })

const withSandbox = <A, E>(work: (sandbox: Sandbox["Type"]) => Effect.Effect<A, E>) =>
  Effect.flatMap(Sandbox, work).pipe(Effect.provide(sandbox))

describe("Images", () => {
  it.effect("that a tool read reach the model right after the results of the turn, and again in later requests", () =>
    withSandbox((sandbox) =>
      Effect.gen(function*() {
        yield* sandbox.write(alice, "a.png", png)
        const documents = yield* Documents
        const { journal, scripted } = yield* runLoop({
          turns: [
            asks(call("1", "read_document", { path: "a.png" }), call("2", "read_document", { path: "none.txt" })),
            asks(call("3", "read_document", { path: "none.txt" })),
            says("A pixel.")
          ],
          tools: [readDocument(readableFiles(sandbox), documents, scriptedModel().model)],
          sandbox
        })
        for (const request of scripted.requests.slice(1)) {
          assert.deepStrictEqual(request.messages.slice(0, 5).map(({ role }) => role), [
            "user",
            "assistant",
            "tool",
            "tool",
            "user"
          ])
          assert.deepStrictEqual(request.messages.map((message) => imageUrlsOf(message)).flat(), [url])
        }
        assert.notInclude(JSON.stringify(journal), "base64")
      }).pipe(Effect.provide(Documents.layer()))
    ))

  it.effect("of the request are sent with it, and journalled in the version that was sent", () =>
    withSandbox((sandbox) =>
      Effect.gen(function*() {
        yield* sandbox.write(alice, "a.png", png)
        const scripted = scriptedModel()
        const { sentImages } = yield* asking([scripted.model, sandbox], showing(image("a.png")))
        assert.deepStrictEqual(sentImages.images?.map(({ path, size }) => [path, size]), [["a.png", 70]])
        const [settled] = sentImages.images ?? []
        // Of the same size, and perhaps of the same time.
        yield* sandbox.write(alice, "a.png", Buffer.concat([png.subarray(0, 50), Buffer.from("!"), png.subarray(51)]))
        const later = yield* asking([scripted.model, sandbox], showing(settled ?? image("")))
        assert.deepStrictEqual(later.sentImages, {})
        const [first, second] = scripted.requests.map(({ messages }) => messages[0])
        assert.deepStrictEqual(first, { role: "user", content: "Look", imageUrls: [url] })
        assert.match(second?.content ?? "", /^Look\n\[Picture "a\.png": the file was changed since it was read/)
      })
    ))

  it.effect("that are missing, broken, too big, too many or of an unsupported kind are replaced by a line with the reason", () =>
    withSandbox((sandbox) =>
      Effect.gen(function*() {
        yield* sandbox.write(alice, "broken.png", "no picture")
        yield* sandbox.write(alice, "big.png", Buffer.concat([png, Buffer.alloc(8 * 1_024 * 1_024)]))
        const some = Array.from({ length: 12 }, (_, index) => `${index}.png`)
        yield* Effect.forEach(some, (path) => sandbox.write(alice, path, png))
        const scripted = scriptedModel()
        yield* asking(
          [scripted.model, sandbox],
          showing(...some.map((path) => image(path))),
          showing(image("gone.png"), image("broken.png"), image("big.png"), image("a.gif", { media_type: "image/gif" }))
        )
        const [older, newer] = scripted.requests[0]?.messages ?? []
        assert.deepStrictEqual(older === undefined ? [] : imageUrlsOf(older).length, 10)
        assert.match(older?.content ?? "", /"0\.png": too many pictures[^]*"1\.png": too many/)
        assert.notInclude(older?.content ?? "", "\"2.png\"")
        assert.match(newer?.content ?? "", /"gone\.png": the file is no longer there\./)
        assert.match(
          newer?.content ?? "",
          /"broken\.png": The file is named \.png, but its content is something else\./
        )
        assert.match(newer?.content ?? "", /"big\.png": it has 8388678 bytes; at most 8388608 are shown/)
        assert.match(newer?.content ?? "", /"a\.gif": this model can't see pictures of this kind/)
      })
    ))

  it.effect("in one request are no more than 12 MB together", () =>
    withSandbox((sandbox) =>
      Effect.gen(function*() {
        const large = Buffer.concat([png.subarray(0, 58), Buffer.alloc(5 * 1_024 * 1_024), png.subarray(58)])
        yield* Effect.forEach(["a.png", "b.png", "c.png"], (path) => sandbox.write(alice, path, large))
        const scripted = scriptedModel()
        const images = [image("a.png"), image("b.png"), image("c.png")]
        const { sentImages } = yield* asking([scripted.model, sandbox], showing(...images))
        assert.deepStrictEqual(sentImages.images?.map(({ path }) => path), ["c.png", "b.png"])
        assert.match(scripted.requests[0]?.messages[0]?.content ?? "", /"a\.png": too many pictures/)
      })
    ))

  it.effect("that the provider refuses are left out, now and later, and do not end the task", () =>
    withSandbox((sandbox) =>
      Effect.gen(function*() {
        yield* sandbox.write(alice, "a.png", png)
        const loop = makeLoop({
          turns: [rejects(400), asks(call("2", "echo", { text: "x" })), says("Fine without.")],
          journal: readBefore,
          sandbox
        })
        yield* loop.run
        const [first, second, third] = loop.scripted.requests.map(({ messages }) => messages)
        assert.lengthOf(first?.flatMap((message) => imageUrlsOf(message)) ?? [], 1)
        for (const messages of [second, third]) {
          assert.lengthOf(messages?.flatMap((message) => imageUrlsOf(message)) ?? [], 0)
          assert.match(JSON.stringify(messages), /provider did not accept it/)
        }
        assert.deepInclude(loop.outcomes.at(-1), { event: { _tag: "Completed" } })
      })
    ))

  it.effect("cause no second request after a refusal for another reason", () =>
    withSandbox((sandbox) =>
      Effect.gen(function*() {
        yield* sandbox.write(alice, "a.png", png)
        const scripted = scriptedModel(rejects(401))
        const error: ModelError = yield* Effect.flip(asking([scripted.model, sandbox], showing(image("a.png"))))
        assert.deepInclude(error, { _tag: "ModelRejected", status: 401 })
        assert.lengthOf(scripted.requests, 1)
      })
    ))
})

const rejects = (status: number): Turn =>
  fails(new ModelRejected({ provider: "openai", status, reason: "Something about the request." }))

const readBefore: ReadonlyArray<Step> = [
  {
    kind: "model",
    message: { role: "assistant", content: "", tool_calls: [call("1", "read_document", { path: "a.png" })] },
    tokens: [1, 1],
    millis: 1
  },
  {
    kind: "results",
    results: [{
      message: { role: "tool", tool_call_id: ToolCallId.make("1"), name: "read_document", content: "seen" },
      millis: 1
    }],
    images: [{ id: ToolCallId.make("1"), image: image("a.png") }]
  }
]

const sandbox = Layer.unwrapScoped(
  Effect.map(
    freshFolder,
    (root) => Sandbox.layer({ root })
  )
)
