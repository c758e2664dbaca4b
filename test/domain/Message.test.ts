import { assert, describe, it } from "@effect/vitest"
import { ToolCallId } from "@troupe/domain/Ids"
import type { AssistantMessage, ImageReference, Message } from "@troupe/domain/Message"
import { advance, replay } from "@troupe/domain/Replay"
import { conversation, emptyRun } from "@troupe/domain/Run"
import type { Step } from "@troupe/domain/Step"

const [one, two] = [ToolCallId.make("one"), ToolCallId.make("two")]

const image = (path: string, digest: string | null = `digest of ${path}`): ImageReference => ({
  path,
  media_type: "image/png",
  size: digest === null ? null : 1,
  digest
})

const message: AssistantMessage = {
  role: "assistant",
  content: "",
  tool_calls: [one, two].map((id) => ({ id, name: "read_document", arguments: "{}" }))
}

const modelled = (more: Partial<Extract<Step, { readonly kind: "model" }>> = {}): Step => ({
  kind: "model",
  message,
  tokens: [1, 1],
  millis: 1,
  ...more
})

const read = (id: ToolCallId, ...paths: ReadonlyArray<string>): Step => ({
  kind: "results",
  results: [{ message: { role: "tool", tool_call_id: id, name: "read_document", content: "seen" }, millis: 1 }],
  images: paths.map((path) => ({ id, image: image(path) }))
})

const imagesIn = (messages: ReadonlyArray<Message>) =>
  messages.map((message) => message.role === "user" ? (message.images ?? []).map(({ path }) => path) : message.role)

describe("Images in a conversation", () => {
  it("come in one message after all results of their turn, in the order of the calls", () => {
    const steps = [modelled(), read(two, "b.png", "c.png"), read(one, "a.png")]
    const run = replay(emptyRun("look"), steps)
    assert.deepStrictEqual(imagesIn(run.messages), [[], "assistant", "tool", "tool", ["a.png", "b.png", "c.png"]])
    const open = replay(emptyRun("look"), steps.slice(0, 2))
    assert.deepStrictEqual(imagesIn(conversation(open)), [[], "assistant", "tool"])
    assert.deepStrictEqual(imagesIn(advance(run, modelled()).messages).at(-1), "assistant")
  })

  it("of the request keep the version that was first sent", () => {
    const start = emptyRun("look", [image("a.png", null), image("gone.png", null)])
    const run = replay(start, [
      modelled({ images: [image("a.png", "first")] }),
      read(one, "a.png"),
      read(two),
      modelled({ images: [image("a.png", "second")] })
    ])
    const digests = run.messages.flatMap((message) =>
      message.role === "user" ? [(message.images ?? []).map(({ digest }) => digest)] : []
    )
    assert.deepStrictEqual(digests, [["first", null], ["digest of a.png"]])
  })
})
