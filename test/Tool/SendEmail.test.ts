import { assert, describe, it } from "@effect/vitest"
import { TaskId, ToolCallId, UserId } from "@troupe/domain/Ids"
import { Effect, Layer, Option } from "effect"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Sandbox } from "../../src/File/Sandbox.ts"
import { sendEmail } from "../../src/Tool/SendEmail.ts"
import { makeToolbox } from "../../src/Tool/Toolbox.ts"
import { type Delivery, Mail, MailFailed, type OutgoingMail } from "../../src/Wire/Mail.ts"

const alice = UserId.make("alice")
const taskId = TaskId.make("01890a5d-ac96-774b-bcce-b302099a8057")

/** A toolbox whose mail goes into a list. */
const makeDesk = (outcome?: (mail: OutgoingMail) => Effect.Effect<Delivery, MailFailed>) =>
  Effect.gen(function*() {
    const sandbox = yield* Sandbox
    const sent: Array<OutgoingMail> = []
    const mail = Mail.of({
      sender: Option.none(),
      send: (given) => {
        sent.push(given)
        const accepted = [...given.to, ...given.cc].map(({ address }) => address)
        return outcome?.(given) ?? Effect.succeed({ messageId: `<${given.id}@x>`, accepted, refused: [] })
      },
      verify: Effect.succeed("Fine.")
    })
    const toolbox = makeToolbox([sendEmail(sandbox, mail)])
    const toolCall = (args: object, id = "call-1") => ({
      id: ToolCallId.make(id),
      name: "send_email",
      arguments: JSON.stringify(args)
    })
    const send = (args: object, callId = "call-1") =>
      Effect.map(
        toolbox.call(toolCall(args, callId), { taskId, userId: alice, callId }),
        ({ content }) => content
      )
    return { sandbox, sent, send, effect: (args: object) => toolbox.effectOf(toolCall(args)) }
  })

const hello = { to: "ada@example.org", subject: "Hi", body: "Hello" }

describe("send_email", () => {
  it.effect("sends markdown as text and as HTML that runs, fetches and hides nothing", () =>
    Effect.gen(function*() {
      const { send, sent } = yield* makeDesk()
      const body = "# Plan\n\n- **one**\n- [two](https://example.org)\n\n<script>alert(1)</script> "
        + "![a <cat>](https://evil.example/x.png) [bad](javascript:alert(1))"
      assert.match(yield* send({ ...hello, body }), /^Sent to ada@example\.org as <01890a5d.*>\.$/)
      const [mail] = sent
      assert.strictEqual(mail?.text, body)
      assert.match(mail?.html ?? "", /<h1>Plan<\/h1>[^]*<strong>one<\/strong>[^]*<a href="https:\/\/example\.org">two/)
      assert.notMatch(mail?.html ?? "", /<script|<img|href="javascript|src=/)
      assert.include(mail?.html ?? "", "[Image: a &lt;cat&gt;]")
    }).pipe(Effect.provide(sandbox)))

  it.effect("accepts an address or a list, removes duplicates, and separates copies", () =>
    Effect.gen(function*() {
      const { send, sent } = yield* makeDesk()
      yield* send({
        ...hello,
        to: ["Ada <ada@example.org>", "bob@Example.org", "bob@example.org"],
        cc: "Zoë <zoe@bücher.example>"
      })
      assert.deepStrictEqual(sent[0]?.to, [
        { name: "Ada", address: "ada@example.org" },
        { name: "", address: "bob@example.org" }
      ])
      assert.deepStrictEqual(sent[0]?.cc, [{ name: "Zoë", address: "zoe@xn--bcher-kva.example" }])
    }).pipe(Effect.provide(sandbox)))

  it.effect("sends nothing to an invalid address, to nobody, or to too many", () =>
    Effect.gen(function*() {
      const { send, sent } = yield* makeDesk()
      const crowd = Array.from({ length: 21 }, (_, index) => `a${index}@example.org`)
      assert.match(yield* send({ ...hello, to: "a@example.org, b@example.org" }), /^Error: "to" has .*make a list/)
      assert.match(
        yield* send({ ...hello, cc: "a@example.org\r\nBcc: x@example.org" }),
        /^Error: "cc" has .*line breaks/
      )
      assert.match(yield* send({ ...hello, to: [] }), /^Error: "to" is empty/)
      assert.match(yield* send({ ...hello, to: crowd }), /^Error: .*at most 20 addresses/)
      assert.match(yield* send({ ...hello, subject: "Hi\r\nBcc: x@example.org" }), /^Error: "subject" must be one line/)
      assert.match(yield* send({ ...hello, subject: "" }), /^Error: .*"subject"/)
      assert.deepStrictEqual(sent, [])
    }).pipe(Effect.provide(sandbox)))

  it.effect("attaches files of the user's sandbox, and nothing else", () =>
    Effect.gen(function*() {
      const { sandbox, send, sent } = yield* makeDesk()
      yield* sandbox.write(alice, "out/plan.md", "# Plan")
      yield* send({ ...hello, attachments: ["out/./plan.md"] })
      assert.deepStrictEqual(
        sent[0]?.attachments.map(({ content, filename }) => [filename, `${Buffer.from(content)}`]),
        [
          ["plan.md", "# Plan"]
        ]
      )
      for (const path of ["none.txt", "out", "../bob/a.txt", "/etc/passwd", "https://evil.example/x"]) {
        assert.match(yield* send({ ...hello, attachments: [path] }), /^Error: /, path)
      }
      yield* sandbox.write(alice, "big.bin", Buffer.alloc(8 * 1_024 * 1_024))
      assert.match(yield* send({ ...hello, attachments: ["big.bin", "big.bin"] }), /^Error: "big\.bin" does not fit/)
      assert.match(
        yield* send({ ...hello, attachments: Array.from({ length: 11 }, () => "out/plan.md") }),
        /^Error: .*at most 10 files/
      )
      assert.lengthOf(sent, 1)
    }).pipe(Effect.provide(sandbox)))

  it.effect("derives the id of a mail from its task and call", () =>
    Effect.gen(function*() {
      const { send, sent } = yield* makeDesk()
      yield* send(hello)
      yield* send(hello)
      yield* send(hello, "call-2")
      const [first, again, other] = sent.map(({ id }) => id)
      assert.match(first ?? "", new RegExp(`^${taskId}\\.[0-9a-f]{16}$`))
      assert.strictEqual(again, first)
      assert.notStrictEqual(other, first)
    }).pipe(Effect.provide(sandbox)))

  it.effect("says which recipients were refused, what failed and what to do then", () =>
    Effect.gen(function*() {
      const partly = yield* makeDesk(() =>
        Effect.succeed({
          messageId: "<a@x>",
          accepted: ["ada@example.org"],
          refused: [{ address: "bob@example.org", reason: "550 No such user" }]
        })
      )
      assert.strictEqual(
        yield* partly.send(hello),
        "Sent to ada@example.org as <a@x>.\nNot sent to bob@example.org, whom the server refused: 550 No such user"
      )
      const answers = { unavailable: /Nothing was sent\.$/, uncertain: /Do not send it again before you know/ }
      for (const kind of ["unavailable", "uncertain"] as const) {
        const desk = yield* makeDesk(() => Effect.fail(new MailFailed({ kind, reason: "It broke." })))
        const answer = yield* desk.send(hello)
        assert.match(answer, /^Error: It broke\. /)
        assert.match(answer, answers[kind])
      }
      const unset = yield* Mail.pipe(Effect.provide(Mail.layerUnconfigured))
      const desk = yield* makeDesk(unset.send)
      assert.match(yield* desk.send(hello), /^Error: .*SMTP_HOST and SMTP_FROM/)
    }).pipe(Effect.provide(sandbox)))

  it.effect("has an external effect, so that it never runs twice", () =>
    Effect.gen(function*() {
      const { effect } = yield* makeDesk()
      assert.strictEqual(effect(hello), "outside")
      assert.strictEqual(effect({ to: 1 }), "read")
    }).pipe(Effect.provide(sandbox)))
})

const sandbox = Layer.unwrapScoped(
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => fs.mkdtempSync(join(tmpdir(), "mail-"))),
      (root) => Effect.sync(() => fs.rmSync(root, { recursive: true, force: true }))
    ),
    (root) => Sandbox.layer({ root })
  )
)
