import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { maxWriteBytes, Sandbox } from "../../src/File/Sandbox.ts"
import { answerOf } from "../../src/Tool/ServerResult.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { context } from "./calls.ts"

type Result = Readonly<Record<string, unknown>>

/** What the agent reads of the result, or why the call failed. */
const answer = (result: Result) =>
  Effect.gen(function*() {
    const sandbox = yield* Sandbox
    return yield* answerOf(result, sandbox, context)
  }).pipe(
    Effect.catchAll(({ reason }) => Effect.succeed(`Failed: ${reason}`)),
    Effect.provide(Sandbox.layer({ root: "/nowhere" }))
  )

const expects = (title: string, table: ReadonlyArray<readonly [Result, string]>) =>
  it.effect(
    title,
    () =>
      Effect.forEach(table, ([result, expected]) =>
        Effect.map(answer(result), (given) =>
          assert.strictEqual(given, expected, JSON.stringify(result).slice(0, 200))))
  )

const text = (...texts: ReadonlyArray<string>) => ({ content: texts.map((text) => ({ type: "text", text })) })
const rows = { items: [{ id: 1, name: "bolt" }, { id: 2, name: "nut" }] }
const json = (value: unknown) => JSON.stringify(value, null, 1)

describe("The result of a server's tool", () => {
  expects("has its texts and its structured content", [
    [{ ...text("2 items"), structuredContent: rows }, `2 items\n${json(rows)}`],
    [{ ...text("2 items"), structured_content: rows }, `2 items\n${json(rows)}`],
    [{ content: [], structuredContent: rows }, json(rows)],
    [{ structuredContent: rows }, json(rows)],
    [{ ...text("2 items"), structuredContent: "bolt, nut" }, "2 items\nbolt, nut"],
    [{ ...text("2 items"), structuredContent: [1, 2] }, `2 items\n${json([1, 2])}`],
    [{ ...text("[1] is the first"), structuredContent: { result: [1] } }, `[1] is the first\n${json({ result: [1] })}`],
    [{ ...text(JSON.stringify({ items: [] })), structuredContent: rows }, `{"items":[]}\n${json(rows)}`],
    [{ ...text("done"), structuredContent: {} }, "done"],
    [{ ...text("done"), structuredContent: null }, "done"]
  ])

  const reordered = "{\"items\": [{\"name\": \"bolt\", \"id\": 1.0}, {\"name\": \"nut\", \"id\": 2}]}"
  const fenced = `\`\`\`json\n${json(rows)}\n\`\`\``
  const within = `Found 2 items:\n${JSON.stringify(rows, null, 2)}\nThat is all.`
  expects("does not say the same twice, however the text writes the structured content", [
    ...[JSON.stringify(rows), json(rows), reordered, fenced, within].map((said) =>
      [{ ...text(said), structuredContent: rows }, said] as const
    ),
    [{ ...text("5"), structuredContent: { result: 5 } }, "5"],
    [{ ...text("all is well"), structuredContent: { result: "all is well" } }, "all is well"],
    [
      { ...text("{\"id\":1}", "{\"id\":2}"), structuredContent: { result: [{ id: 1 }, { id: 2 }] } },
      "{\"id\":1}\n{\"id\":2}"
    ],
    [
      {
        content: [{ type: "resource", resource: { uri: "db://rows", text: JSON.stringify(rows) } }],
        structuredContent: rows
      },
      `db://rows:\n${JSON.stringify(rows)}`
    ]
  ])

  expects("is what there is, where the content has another form", [
    [{ content: "12 open tickets" }, "12 open tickets"],
    [{ content: { type: "text", text: "one part" } }, "one part"],
    [{ content: ["one", "two"] }, "one\ntwo"],
    [{ content: [{ text: "without a type" }] }, "without a type"],
    [{ content: { tickets: 12 } }, json({ tickets: 12 })],
    [{ content: 12 }, "12"],
    [{ toolResult: "of the first version" }, "of the first version"],
    [{ toolResult: rows }, json(rows)],
    [{ tickets: 12, _meta: { trace: "x" } }, json({ tickets: 12 })],
    [{ content: [], tickets: 0 }, json({ tickets: 0 })],
    [{ ...text("2 items"), data: rows.items }, `2 items\n${json({ data: rows.items })}`],
    [{ ...text("2 items"), toolResult: rows }, `2 items\n${json(rows)}`],
    [{ ...text("2 items"), toolResult: "2 items", ok: null }, "2 items"]
  ])

  it.effect("is read in linear time, however large its structured content and however many its texts", () => {
    const large = Array.from({ length: 50_000 }, (_, id) => ({ id, name: `bolt ${id}` }))
    const texts = Array.from({ length: 1_000 }, (_, line) => `line ${line}`)
    return Effect.map(
      answer({ ...text(...texts), structuredContent: { result: large } }),
      (given) => assert.include(given, "bolt 9")
    )
  })

  expects("is nothing only if there was nothing", [
    ...[{}, { content: [] }, { content: null }, { content: "" }, { content: [null] }, text(" "), { _meta: { a: 1 } }]
      .map(
        (result) => [result, "Done; the tool returned nothing."] as const
      ),
    [{ content: [], structuredContent: {} }, "{}"],
    [{ content: [], structuredContent: { items: [] } }, json({ items: [] })]
  ])

  const blob = Buffer.from("name;price\nMüller;12").toString("base64")
  expects("names each part that is no text, and shows one of an unknown kind as JSON", [
    [{ content: [{ type: "widget", color: "red" }, 7] }, `${json({ type: "widget", color: "red" })}\n7`],
    [{ content: [{ type: "json", json: rows }] }, json({ type: "json", json: rows })],
    [{ content: [{ type: "text", text: { nested: true } }] }, json({ type: "text", text: { nested: true } })],
    [
      { content: [{ type: "image", source: { type: "base64", data: "A".repeat(4_000) } }] },
      json({ type: "image", source: { type: "base64", data: "[about 3000 bytes, which can't be shown]" } })
    ],
    [
      { content: [{ type: "audio", data: "AAAA", mimeType: "audio/wav" }] },
      "[audio (audio/wav) of about 3 bytes, which can't be shown.]"
    ],
    [
      { content: [{ type: "audio", data: "AAAA" }] },
      "[audio (of an unknown type) of about 3 bytes, which can't be shown.]"
    ],
    [
      { content: [{ type: "image", data: "AAAA", mimeType: "image/tiff" }] },
      "[image (image/tiff) of about 3 bytes, which can't be shown.]"
    ],
    [
      { content: [{ type: "image", data: "", mimeType: "image/png" }] },
      "[A picture (image/png) without data is left out.]"
    ],
    [{ content: [{ type: "resource_link", uri: "file:///a", name: "A" }] }, "[Link: file:///a, A]"],
    [{ content: [{ type: "resource_link", name: "A" }] }, json({ type: "resource_link", name: "A" })],
    [{ content: [{ type: "resource", resource: { text: "without an address" } }] }, "A resource:\nwithout an address"],
    [
      { content: [{ type: "resource", resource: { uri: "a://b" } }] },
      json({ type: "resource", resource: { uri: "a://b" } })
    ],
    [
      { content: [{ type: "resource", resource: { uri: "a://b.csv", mimeType: "text/csv; charset=utf-8", blob } }] },
      "a://b.csv:\nname;price\nMüller;12"
    ],
    [
      { content: [{ type: "resource", resource: { uri: "a://b.pdf", mimeType: "application/pdf", blob: "AAAA" } }] },
      "[a://b.pdf (application/pdf): about 3 bytes, which can't be shown.]"
    ]
  ])

  it.effect("names a picture that is too large", () =>
    Effect.gen(function*() {
      const data = Buffer.alloc(maxWriteBytes + 1).toString("base64")
      const named = yield* answer({ content: [{ type: "image", data, mimeType: "image/png" }] })
      assert.strictEqual(
        named,
        `[A picture (image/png) of ${maxWriteBytes + 1} bytes is left out: at most ${maxWriteBytes} are taken.]`
      )
    }))

  it.scoped("has the pictures as files of the user, also from a data URL and with the usual wrong type", () =>
    Effect.gen(function*() {
      const data = Buffer.from("a picture").toString("base64")
      const sandbox = yield* Sandbox
      const saved = yield* answerOf(
        {
          content: [
            { type: "image", data: `data:image/png;base64,${data}` },
            { type: "image", data, mimeType: "image/jpg" },
            { type: "resource", resource: { uri: "a://b", mimeType: "image/webp", blob: data } }
          ]
        },
        sandbox,
        context
      )
      assert.deepStrictEqual(
        saved.match(/of 9 bytes, saved as \S+\.(?:png|jpe?g|webp)\./g)?.length,
        3,
        saved
      )
    }).pipe(Effect.provide(Effect.map(freshFolder, (root) => Sandbox.layer({ root })).pipe(Layer.unwrapScoped))))

  expects("is a failure with all that the server says about it", [
    [{ ...text("no such row"), isError: true }, "Failed: no such row"],
    [{ ...text("no such row"), isError: "true" }, "Failed: no such row"],
    [{ ...text("no such row"), is_error: true }, "Failed: no such row"],
    [{ ...text("no such row"), isError: 1 }, "Failed: no such row"],
    [{ isError: "The database is down" }, "Failed: The database is down"],
    [{ ...text("try later"), isError: { code: 7 } }, `Failed: ${json({ code: 7 })}\ntry later`],
    [
      { isError: true, content: [], structuredContent: { error: "no such row" } },
      `Failed: ${json({ error: "no such row" })}`
    ],
    [
      { isError: true, ...text("failed"), structuredContent: { error: "no such row" } },
      `Failed: failed\n${json({ error: "no such row" })}`
    ],
    [{ isError: true, error: "no such row" }, `Failed: ${json({ error: "no such row" })}`],
    [{ isError: true }, "Failed: the tool failed without a reason."],
    ...[false, null, "false", "", 0].map((isError) => [{ ...text("fine"), isError }, "fine"] as const)
  ])
})
