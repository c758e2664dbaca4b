import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { inChat, said, Service } from "../Intake/Chat/service.ts"
import { direct, onlyTask, received } from "./chatEvents.ts"

inChat("A file in the team chat", (test) => {
  /** What a message with this description of its file, and the platform's answers about it, comes to. */
  const shared = (described: Readonly<Record<string, unknown>>, text = "see file") =>
    Effect.flatMap(said({ ...direct, text, subtype: "file_share", fields: { files: [described] } }), () => onlyTask)

  test("of another workspace is described and received", function*() {
    const { platform } = yield* Service
    platform.state.file("F3", "notes.txt", "Hello")
    const task = yield* shared({ id: "F3", file_access: "check_file_info", created: 0, user: "U0X" })
    assert.deepStrictEqual(yield* received(task), ["Hello"])
    assert.match(task.attachments[0] ?? "", /F3-notes\.txt$/)
  })

  test("without name, size or address is described and received", function*() {
    const { platform } = yield* Service
    platform.state.file("F3", "", "Hello", { name: null, title: "Notes", mimetype: "text/plain" })
    const task = yield* shared({ id: "F3" })
    assert.deepStrictEqual(yield* received(task), ["Hello"])
    assert.match(task.attachments[0] ?? "", /F3-Notes\.txt$/)
  })

  test("is received from where the platform moved it", function*() {
    const { platform } = yield* Service
    const file = platform.state.file("F3", "notes.txt", "Hello")
    platform.misbehave("download", { _tag: "redirect", location: "/files-pri/F3/origin/notes.txt" })
    yield* said({ ...direct, text: "see file", files: [file] })
    assert.deepStrictEqual(yield* received(yield* onlyTask), ["Hello"])
  })

  test("that is a snippet in any language is received as text", function*() {
    const { platform } = yield* Service
    platform.state.file("F3", "job.py", "print(1)", { mode: "snippet", mimetype: "text/x-python" })
    const task = yield* shared({ id: "F3" })
    assert.deepStrictEqual(yield* received(task), ["print(1)"])
    assert.match(task.attachments[0] ?? "", /F3-job\.py\.txt$/)
  })

  const leftOut: ReadonlyArray<readonly [name: string, described: Readonly<Record<string, unknown>>, reason: string]> =
    [
      ["was deleted", { id: "F4", mode: "tombstone" }, "file F4: it was deleted"],
      [
        "is hidden by the workspace's plan",
        { id: "F4", name: "a.txt", mode: "hidden_by_limit" },
        "a.txt: the chat platform hides it"
      ],
      ["is kept elsewhere", {
        id: "F4",
        name: "Plan",
        mode: "external",
        is_external: true,
        external_type: "gdrive",
        url_private: "https://docs.example.org/d/1"
      }, "Plan: it is stored outside of the chat platform (gdrive, https://docs.example.org/d/1)"],
      [
        "is a canvas",
        { id: "F4", title: "Our plan", mode: "canvas", filetype: "quip" },
        "Our plan: it is a canvas of the chat platform"
      ],
      ["may not be read", { id: "F4", file_access: "access_denied" }, "file F4: the chat platform denies access"],
      ["is gone", { id: "F4", file_access: "file_not_found" }, "file F4: it was deleted, or is not shared"],
      [
        "is unknown to the platform",
        { id: "F4", file_access: "check_file_info" },
        "refused files.info: file_not_found"
      ],
      ["has neither id nor address", { name: "a.txt" }, "a.txt: the chat platform gives no address for it"]
    ]
  for (const [name, described, reason] of leftOut) {
    test(`that ${name} is named as left out`, function*() {
      const task = yield* shared(described)
      assert.deepStrictEqual(task.attachments, [])
      assert.include(task.context, reason)
      assert.strictEqual(task.description, "see file")
    })
  }

  test("that can't be taken is no attached file to see", function*() {
    const task = yield* shared({ id: "F4", mode: "tombstone" }, "")
    assert.match(task.description, /its files could not be taken/)
    assert.include(task.context, "it was deleted")
  })

  test("is left out where a sign-in page or a part of it comes in its place, and the others are received", function*() {
    const { platform } = yield* Service
    const files = ["F1", "F2", "F3", "F4"].map((id) => platform.state.file(id, `${id}.txt`, `content of ${id}`))
    platform.misbehave(
      "download",
      { _tag: "body", text: "<!DOCTYPE html><html>Sign in</html>", type: "text/html" },
      { _tag: "body", text: "content", type: "text/plain" },
      { _tag: "redirect", location: "https://elsewhere.example.org/login" }
    )
    yield* said({ ...direct, text: "see files", files })
    const task = yield* onlyTask
    assert.deepStrictEqual(yield* received(task), ["content of F4"])
    assert.include(task.context, "F1.txt: The chat platform sent a web page in place of the file")
    assert.include(task.context, "F2.txt: The download has 7 bytes in place of 13")
    assert.include(task.context, "F3.txt: The download leads to elsewhere.example.org")
  })

  test("that is too large is not downloaded", function*() {
    const { platform } = yield* Service
    const before = platform.callsOf("download").length
    platform.state.file("F5", "huge.csv", "a", { size: 5_000_000_000 })
    const task = yield* shared({ id: "F5", name: "huge.csv" })
    assert.include(task.context, "huge.csv: it has more than ")
    assert.strictEqual(platform.callsOf("download").length, before)
  })
})
