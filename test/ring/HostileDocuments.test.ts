import { assert, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { kill } from "node:process"
import { inflatingPdf, oneCellSheet, pdfOf, wideCellWord, wideFontPdf } from "../File/Documents/files.ts"
import { makeDeployment, makePorts } from "../support/Deployment.ts"
import { linux } from "../support/Need.ts"
import { start, until } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"
import { isAlive } from "../support/ToolServerFixture.ts"

/** What each document is answered with: an error in plain words, or its text. */
const documents: Readonly<Record<string, readonly [bytes: Uint8Array, answer: RegExp]>> = {
  "far-column.xlsx": [oneCellSheet("ZZZZZZ1"), /^Error: .*beyond XFD1048576/],
  "last-row.xlsx": [oneCellSheet("A1048576"), /^Error: .*row 1048576 and column 1/],
  "wide-cell.docx": [wideCellWord(), /^wide$/],
  "wide-font.pdf": [wideFontPdf(), /^Error: .*(?:needs more memory|timed out)/],
  "inflating.pdf": [inflatingPdf(1_900), /^Error: .*(?:needs more memory|timed out)/],
  "plain.txt": [Buffer.from("harmless"), /^harmless$/]
}

/** The answer on a machine too slow for six of them. */
const isBusy = /^Error: .*did not get its turn in time/

const reading = (name: string) => `use read_document ${JSON.stringify({ path: name })}`

/** As the kernel counts: the process with everything that descends from it. */
const treeOf = (pid: number): ReadonlyArray<number> => {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter((id) => id !== "").map(Number)
    )
    return [pid, ...children.flatMap(treeOf)]
  } catch {
    return []
  }
}

const residentMegabytes = (pid: number): number => {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? 0) / 1_000
  } catch {
    return 0
  }
}

it.scopedLive.skipIf(linux.isMissing)(
  linux.named(
    "Six hostile documents at once cost the service neither its life nor more memory than two of them may take"
  ),
  () =>
    Effect.gen(function*() {
      const deployment = yield* makeDeployment()
      const ports = yield* makePorts
      const folder = join(deployment.storage, "default")
      mkdirSync(folder, { recursive: true })
      for (const [name, [bytes]] of Object.entries(documents)) writeFileSync(join(folder, name), bytes)
      writeFileSync(join(folder, "long.pdf"), pdfOf(Array.from({ length: 20_000 }, () => "x")))
      const service = yield* start("all", { ...deployment.environment, ...ports.environment })
      const client = taskClient(ports.http)

      const own = residentMegabytes(service.pid)
      let children = 0
      let peak = 0
      yield* Effect.sync(() => {
        const tree = treeOf(service.pid)
        const readers = tree.filter((pid) => pid !== service.pid)
        children = Math.max(children, readers.length)
        peak = Math.max(peak, tree.reduce((sum, pid) => sum + residentMegabytes(pid), 0))
      }).pipe(Effect.repeat(Schedule.spaced("20 millis")), Effect.forkScoped)
      const names = Object.keys(documents)
      const ids = yield* Effect.forEach(
        names,
        (name, index) => client.submit(`${name}-${index}`, { message: reading(name) }),
        { concurrency: 8 }
      )
      yield* Effect.forEach(names, (name, index) =>
        Effect.gen(function*() {
          const id = ids[index] ?? ""
          yield* until(
            `${name} is answered and the service answers`,
            Effect.gen(function*() {
              assert.isTrue(yield* service.isRunning)
              assert.strictEqual((yield* client.send("GET", "/health")).status, 200)
              return (yield* client.find(id)).status === "completed"
            }),
            "120 seconds"
          )
          const { body } = yield* client.send("GET", `/task/${id}/messages`)
          const result = toolResult(body)
          if (isBusy.test(result)) return false
          assert.match(result, documents[name]?.[1] ?? /^never$/)
          return true
        })).pipe(Effect.tap((answered) => assert.include(answered, true)))
      assert.isAbove(children, 0)
      assert.isAtMost(children, 2)
      // Two readers of 300 MB, and what the service itself takes in meanwhile.
      assert.isBelow(peak, own + 2 * 300 + 150)

      yield* client.submit("long", { message: reading("long.pdf") })
      const readers = Effect.sync(() => treeOf(service.pid).filter((pid) => pid !== service.pid))
      yield* until("the long document is being read", Effect.map(readers, ({ length }) => length > 0))
      const [reader = 0] = yield* readers
      // The service alone: a kill of its process group would reach the reader too.
      kill(service.pid, "SIGKILL")
      yield* service.ended
      yield* until("the reader is gone with the service", Effect.sync(() => !isAlive(reader)))
    }),
  300_000
)

const toolResult = (messages: unknown): string => {
  const found = Array.isArray(messages) ? messages.find((message) => message.role === "tool") : undefined
  return String(found?.content)
}
