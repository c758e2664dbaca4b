import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { createHash } from "node:crypto"
import { Documents } from "../../src/File/Documents/Documents.ts"
import { Sandbox } from "../../src/File/Sandbox.ts"
import { convertMarkdownToDocx, readDocument } from "../../src/Tool/DocumentTools.ts"
import { Toolboxes } from "../../src/Tool/Toolboxes.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { gif, jpeg, png, webp } from "../support/Images.ts"
import { readableFiles } from "../support/PromptContexts.ts"
import { scriptedModel } from "../support/ScriptedModel.ts"
import { opened } from "./builtIns.ts"
import { alice, callOf, contentOf, context } from "./calls.ts"

const answer = (name: string, args: object) => Effect.flatMap(opened(), (toolbox) => contentOf(toolbox, name, args))

const write = (path: string, content: string | Uint8Array) =>
  Effect.flatMap(Sandbox, (sandbox) => sandbox.write(alice, path, content))

const sandbox = Layer.unwrapScoped(Effect.map(freshFolder, (root) => Sandbox.layer({ root, quotaBytes: 20_000_000 })))

const tools = Layer.effect(
  Toolboxes,
  Effect.gen(function*() {
    const sandbox = yield* Sandbox
    const documents = yield* Documents
    return Toolboxes.make(() => [
      readDocument(readableFiles(sandbox), documents, scriptedModel().model),
      convertMarkdownToDocx(sandbox, documents)
    ])
  })
).pipe(Layer.provideMerge(Layer.merge(sandbox, Documents.layer())))

describe("The document tools", () => {
  it.effect("make a Word document of markdown and read it again", () =>
    Effect.gen(function*() {
      const markdown = "# Plan\n\n1. one\n2. two\n"
      assert.match(
        yield* answer("convert_markdown_to_docx", { markdown, output_path: "out/plan.docx" }),
        /^Wrote out\/plan\.docx, which now has \d+ bytes\.$/
      )
      yield* write("plan.md", markdown)
      assert.match(
        yield* answer("convert_markdown_to_docx", { source_path: "plan.md", output_path: "copy.DOCX" }),
        /^Wrote copy\.DOCX/
      )
      assert.strictEqual(yield* answer("read_document", { path: "copy.DOCX" }), "Plan\n\n 1. one\n 2. two")
    }).pipe(Effect.provide(tools)))

  it.effect("say where to continue and where a document ends", () =>
    Effect.gen(function*() {
      yield* write("f.txt", "a\nb\nc\n")
      yield* write("empty.md", "")
      assert.strictEqual(
        yield* answer("read_document", { path: "f.txt", offset: 1, limit: 1 }),
        "b\n[The document goes on: continue with offset 2 of 3 lines.]"
      )
      assert.strictEqual(yield* answer("read_document", { path: "f.txt", offset: 2 }), "c")
      assert.match(yield* answer("read_document", { path: "f.txt", offset: 3 }), /ends before line 3: it has 3 lines/)
      assert.strictEqual(yield* answer("read_document", { path: "empty.md" }), "[The document has no text.]")
    }).pipe(Effect.provide(tools)))

  it.effect("return what can't be done as an error", () =>
    Effect.gen(function*() {
      yield* write("fake.pdf", "no")
      yield* write("taken.docx/x.txt", "a folder of that name")
      const convert = (args: object) => answer("convert_markdown_to_docx", args)
      assert.match(yield* answer("read_document", { path: "fake.pdf" }), /^Error: "fake\.pdf": The file is named \.pdf/)
      assert.match(yield* answer("read_document", { path: "none.pdf" }), /^Error: .*list_directory/)
      assert.match(yield* answer("read_document", { path: "../bob/a.pdf" }), /^Error: /)
      assert.match(yield* convert({ output_path: "a.docx" }), /^Error: .*either "markdown" or "source_path"/)
      assert.match(yield* convert({ markdown: "a", source_path: "b", output_path: "a.docx" }), /^Error: .*not both/)
      assert.match(yield* convert({ markdown: "a", output_path: "a.pdf" }), /^Error: .*ends in \.docx/)
      assert.match(yield* convert({ markdown: "a", output_path: "../a.docx" }), /^Error: /)
      assert.match(yield* convert({ markdown: "a", output_path: "taken.docx" }), /^Error: /)
      assert.match(yield* convert({ source_path: "none.md", output_path: "a.docx" }), /^Error: .*list_directory/)
    }).pipe(Effect.provide(tools)))

  it.effect("show a picture to a model that can see it, and say that another can't", () =>
    Effect.gen(function*() {
      const toolbox = yield* opened()
      const look = (path: string) => toolbox.call(callOf("read_document", { path }), context)
      yield* write("in/a.PNG", png)
      yield* write("a.jpg", jpeg)
      yield* write("b.jpeg", jpeg)
      yield* write("a.gif", gif)
      yield* write("a.webp", webp)
      const seen = yield* look("./in/a.PNG")
      assert.match(seen.content, /^\[This is a picture \(image\/png, 70 bytes\)\. It is shown in the next message/)
      assert.deepInclude(seen, {
        images: [{
          path: "in/a.PNG",
          media_type: "image/png",
          size: 70,
          digest: createHash("sha256").update(png).digest("hex")
        }]
      })
      for (const [path, type] of [["a.jpg", "jpeg"], ["b.jpeg", "jpeg"], ["a.gif", "gif"], ["a.webp", "webp"]]) {
        const unseen = yield* look(path ?? "")
        assert.match(unseen.content, new RegExp(`^\\[This is a picture \\(image/${type}, .* can't see pictures`))
        assert.notProperty(unseen, "images")
      }
    }).pipe(Effect.provide(tools)))

  it.effect("refuse files that are not pictures, truncated pictures and those that are too big", () =>
    Effect.gen(function*() {
      yield* write("a.png", jpeg)
      yield* write("empty.png", "")
      assert.match(
        yield* answer("read_document", { path: "a.png" }),
        /^Error: "a\.png": .*content is that of a \.jpg file/
      )
      assert.match(yield* answer("read_document", { path: "empty.png" }), /^Error: .*empty/)
      for (const [name, bytes] of Object.entries({ png, jpg: jpeg, gif, webp })) {
        yield* write(`cut.${name}`, bytes.subarray(0, bytes.length - 12))
        assert.match(yield* answer("read_document", { path: `cut.${name}` }), /^Error: .*cut short/)
      }
      yield* write("big.png", Buffer.concat([png, Buffer.alloc(8 * 1_024 * 1_024)]))
      assert.match(yield* answer("read_document", { path: "big.png" }), /^Error: .*at most 8388608 are read/)
    }).pipe(Effect.provide(tools)))
})
