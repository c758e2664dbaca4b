import { assert, describe, it } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { pid, platform } from "node:process"
import { Documents } from "../../../src/File/Documents/Documents.ts"
import { linux } from "../../support/Need.ts"
import { archive, pdfOf, wideFontPdf, wordParagraph, wordParts } from "./files.ts"

const alice = UserId.make("alice")

const textOf = (name: string, bytes: Uint8Array) =>
  Effect.flatMap(
    Documents,
    (documents) => documents.text(alice, name, Effect.succeed(bytes), { offset: 0, limit: 9, maxChars: 1_000 })
  )

const text = (name: string, bytes: Uint8Array) => Effect.map(textOf(name, bytes), ({ text }) => text)

const refusal = (name: string, bytes: Uint8Array) =>
  Effect.map(Effect.flip(textOf(name, bytes)), ({ reason }) => reason)

const childrenOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter((id) => id !== "").map(Number)

describe("Documents are read in processes of their own", () => {
  it.live("which return lines, a new document, or the reason for a failure", () =>
    Effect.gen(function*() {
      const documents = yield* Documents
      const docx = yield* documents.docx(alice, "# Plan for Grüße")
      assert.deepStrictEqual(yield* textOf("a.docx", docx), { text: "Plan for Grüße", lines: 1, total: 1, cut: false })
      assert.match(yield* refusal("a.pdf", docx), /its content is a ZIP archive/)
    }).pipe(Effect.provide(Documents.layer())))

  const huge = Buffer.from(pdfOf(Array.from({ length: 3_000 }, () => "x")))

  it.live("which are stopped at the time-out", () =>
    Effect.gen(function*() {
      assert.match(yield* refusal("a.pdf", huge), /timed out after 0\.05 s\. Try a smaller document/)
    }).pipe(Effect.provide(Documents.layer({ timeout: "50 millis" }))))

  it.live("which are stopped at the memory limit, and the next document is read", () =>
    Effect.gen(function*() {
      const heavy = archive(wordParts(wordParagraph("words").repeat(100_000)))
      for (
        const [name, bytes] of [["a.docx", heavy], ["a.pdf", wideFontPdf()]] as const
      ) {
        assert.match(yield* refusal(name, bytes), /needs more memory than 160 MB\. Try a smaller document/)
      }
      assert.strictEqual(yield* text("a.txt", Buffer.from("next")), "next")
    }).pipe(Effect.provide(Documents.layer({ memoryMegabytes: 160, processes: 1 }))), 120_000)

  it.live("which are stopped when the caller is interrupted, and free their place", () =>
    Effect.gen(function*() {
      // Of other tests in this process.
      const before = platform === "linux" ? childrenOf(pid) : []
      const reading = yield* Effect.fork(text("a.pdf", huge))
      yield* Effect.yieldNow()
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(reading)))
      if (platform === "linux") assert.isEmpty(childrenOf(pid).filter((child) => !before.includes(child)))
      assert.strictEqual(yield* text("a.txt", Buffer.from("next")), "next")
    }).pipe(Effect.provide(Documents.layer({ processes: 1 }))))

  it.live("which are at most so many at once, and a document that waits too long is refused unread", () =>
    Effect.gen(function*() {
      const documents = yield* Documents
      const holding = yield* Deferred.make<void>()
      const window = { offset: 0, limit: 9, maxChars: 9 }
      const first = yield* Effect.fork(
        documents.text(alice, "a.txt", Effect.zipRight(Deferred.succeed(holding, undefined), Effect.never), window)
      )
      yield* Deferred.await(holding)
      const refused = yield* Effect.flip(
        documents.text(alice, "b.txt", Effect.dieMessage("must not be read yet"), window)
      )
      assert.match(refused.message, /did not get its turn in time\. Try again/)
      yield* Fiber.interrupt(first)
      assert.strictEqual(yield* text("a.txt", Buffer.from("next")), "next")
    }).pipe(Effect.provide(Documents.layer({ processes: 1, queueTimeout: "50 millis" }))))

  it.live("of which a user has one at a time, so that many documents of one user delay nobody else", () =>
    Effect.gen(function*() {
      const documents = yield* Documents
      const holding = yield* Deferred.make<void>()
      const window = { offset: 0, limit: 9, maxChars: 9 }
      const hold = documents.text(
        alice,
        "a.txt",
        Effect.zipRight(Deferred.succeed(holding, undefined), Effect.never),
        window
      )
      const all = yield* Effect.forkAll(Array.from({ length: 12 }, () => hold))
      yield* Deferred.await(holding)
      const bob = UserId.make("bob")
      const { text } = yield* documents.text(bob, "b.txt", Effect.succeed(Buffer.from("bob's")), window)
      assert.strictEqual(text, "bob's")
      yield* Fiber.interrupt(all)
    }).pipe(Effect.provide(Documents.layer())))

  it.live.skipIf(linux.isMissing)(
    linux.named("which inherit neither variables nor descriptors, and can write no file"),
    () =>
      Effect.gen(function*() {
        // Of other tests in this process.
        const before = childrenOf(pid)
        const reading = yield* Effect.fork(text("a.pdf", huge))
        const started = () => childrenOf(pid).filter((child) => !before.includes(child)).filter(isNode)
        const [child = 0] = yield* Effect.sync(started).pipe(
          Effect.repeat({ until: ([child]) => child !== undefined && readdirSync(`/proc/${child}/fd`).length > 2 }),
          Effect.timeout("20 seconds")
        )
        // The shell that sets the limits adds its own.
        const variables = readFileSync(`/proc/${child}/environ`, "utf8").split("\0").map((line) => line.split("=")[0])
        assert.isEmpty(variables.filter((name) => !["", "OLDPWD", "PWD", "SHLVL", "_"].includes(name ?? "")))
        // Modules are open while they are loaded; what is inherited stays open.
        const open = yield* Effect.sync(() =>
          readdirSync(`/proc/${child}/fd`).flatMap((fd) => linkOf(`/proc/${child}/fd/${fd}`))
        ).pipe(
          Effect.repeat({ until: (targets) => targets.every((target) => ownDescriptor.test(target)) }),
          Effect.timeout("10 seconds")
        )
        // Standard input, output and error are sockets to the service.
        assert.isAtMost(open.filter((target) => target.startsWith("socket")).length, 3)
        assert.match(readFileSync(`/proc/${child}/limits`, "utf8"), /Max file size +0 +0 /)
        assert.match(readFileSync(`/proc/${child}/limits`, "utf8"), /Max core file size +0 +0 /)
        yield* Fiber.interrupt(reading)
      }).pipe(Effect.provide(Documents.layer()))
  )
})

const ownDescriptor = /^(?:socket|pipe|anon_inode|\/dev\/null)/

/** The shell that sets the limits has become node, and what reads the document. */
const isNode = (child: number) =>
  linkOf(`/proc/${child}/exe`).some((target) => target.endsWith("/node"))
  && readFileSync(`/proc/${child}/cmdline`, "latin1").includes("ProcessGuard")

/** A descriptor may be closed between the listing and the look at it. */
const linkOf = (path: string): ReadonlyArray<string> => {
  try {
    return [readlinkSync(path)]
  } catch {
    return []
  }
}
