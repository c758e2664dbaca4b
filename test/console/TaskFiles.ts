import { assert } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { readFile } from "node:fs/promises"
import type { Test } from "./Console.ts"

const use = (tool: string, input: object) => `use ${tool} ${JSON.stringify(input)}`

/** With code in a language that has colours. */
const notes = "# Notes\n\nOf today\n\n```json\n{\"count\": 1}\n```\n"

/** Tests of the files of a task. */
export const taskFiles = (test: Test): void => {
  test(
    "uploads a file with a task, and previews and downloads what the task attached",
    function*({ faults, open, page, press, sees, type }) {
      yield* open("tasks")
      yield* press("New task")
      yield* type("What should the agent do?", use("attach_file", { path: "notes.md" }))
      yield* Effect.promise(() =>
        page.getByLabel("Files to attach").setInputFiles({
          name: "notes.md",
          mimeType: "text/markdown",
          buffer: Buffer.from(notes)
        })
      )
      yield* Effect.promise(() => page.getByRole("button", { name: "Remove notes.md" }).waitFor())
      yield* press("Create task")
      yield* sees("Completed")
      yield* press("notes.md")
      yield* Effect.promise(() =>
        page.getByRole("dialog").getByRole("heading", { name: "Notes", exact: true }).waitFor()
      )
      yield* Effect.promise(() => page.getByRole("dialog").locator("pre span").getByText("1").waitFor())
      yield* press("Close")
      const [saved] = yield* Effect.promise(() =>
        Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Download notes.md" }).click()])
      )
      const content = yield* Effect.promise(async () => readFile(await saved.path(), "utf8"))
      assert.strictEqual(content, notes)
      // The address of a message leads to it.
      const address = yield* Effect.promise(() =>
        page.getByRole("link", { name: "Link to this place" }).first().getAttribute("href")
      )
      assert.match(address ?? "", /tasks\/[\da-f-]{36}\?message=\d+$/)
      // A file that is dropped on the composer goes with the follow-up.
      yield* type("Follow-up", "Read this")
      const dropped = yield* Effect.promise(() =>
        page.evaluateHandle(`(() => {
  const data = new DataTransfer()
  data.items.add(new File(["more"], "more.txt", { type: "text/plain" }))
  return data
})()`)
      )
      yield* Effect.promise(() =>
        page.getByLabel("Follow-up", { exact: true }).dispatchEvent("drop", { dataTransfer: dropped })
      )
      yield* Effect.promise(() => page.getByRole("button", { name: "Remove more.txt" }).waitFor())
      yield* press("Send")
      const requests = page.getByRole("region", { name: "Request" })
      yield* Effect.promise(() => requests.last().getByText("more.txt").waitFor())
      assert.deepStrictEqual(faults, [])
    }
  )

  test(
    "creates no task before its files are uploaded",
    function*({ faults, open, page, press, sees, type }) {
      const sent = yield* Deferred.make<void>()
      yield* Effect.promise(() =>
        page.route("**/upload-file*", async (route) => {
          await Effect.runPromise(Deferred.await(sent))
          await route.continue()
        })
      )
      yield* open("tasks")
      yield* press("New task")
      yield* type("What should the agent do?", use("list_directory", { path: "." }))
      yield* Effect.promise(() =>
        page.getByLabel("Files to attach").setInputFiles({
          name: "slow.txt",
          mimeType: "text/plain",
          buffer: Buffer.from("slow")
        })
      )
      const button = page.getByRole("dialog").locator("button[type=submit]")
      yield* Effect.promise(() => button.getByText("Uploading …").waitFor())
      assert.isTrue(yield* Effect.promise(() => button.isDisabled()))
      yield* Deferred.succeed(sent, undefined)
      yield* press("Create task")
      yield* sees("Completed")
      yield* Effect.promise(() => page.getByRole("region", { name: "Request" }).getByText("slow.txt").waitFor())
      assert.deepStrictEqual(faults, [])
    }
  )
}
