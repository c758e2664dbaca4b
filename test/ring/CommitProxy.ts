import { Effect, Redacted, type Scope } from "effect"
import { connect, createServer } from "node:net"
import { listening } from "../support/LocalServer.ts"

/** A TCP proxy before PostgreSQL that counts the transactions that wrote what a task consists of. */
export interface CommitProxy {
  readonly url: Redacted.Redacted
  /** Counts from 0 again. `kill` is called after so many commits, and nobody learns of the last one. */
  readonly arm: (after: number, kill: () => void) => void
  readonly count: () => number
}

/** What the triggers of `noticeWrites` say. */
const marker = "troupe-test-write"

/** Leaves out what is written by the clock, whatever the tasks do. */
const tables = [
  "actors",
  "approvals",
  "file_reservations",
  "idempotency_keys",
  "inbox",
  "notifications",
  "outbox",
  "schedules",
  "steps",
  "task_threads",
  "tasks"
]

/** Each row that is written is a notice, which the proxy reads before the transaction ends. */
export const noticeWrites = `create function notice_write() returns trigger language plpgsql as $$ begin
  raise notice '${marker}';
  return null;
end $$;
${
  tables.map((table) =>
    `create trigger notice_write after insert or update or delete on ${table} for each row execute function notice_write();`
  ).join("\n")
}`

/** The messages of a server that have arrived whole, by their types, and what is left. */
const framesIn = (bytes: Buffer) => {
  const frames: Array<{ readonly type: string; readonly content: Buffer }> = []
  let at = 0
  while (bytes.length - at >= 5 && bytes.length - at > bytes.readUInt32BE(at + 1)) {
    const end = at + 1 + bytes.readUInt32BE(at + 1)
    frames.push({ type: String.fromCharCode(bytes[at] ?? 0), content: bytes.subarray(at + 5, end) })
    at = end
  }
  return { frames, rest: bytes.subarray(at) }
}

export const makeCommitProxy = (real: Redacted.Redacted): Effect.Effect<CommitProxy, never, Scope.Scope> =>
  Effect.gen(function*() {
    const { hostname, port } = new URL(Redacted.value(real))
    let count = 0
    let limit = Infinity
    let kill = () => {}

    const server = createServer((client) => {
      const database = connect(Number(port), hostname)
      let rest = Buffer.alloc(0)
      let wrote = false
      client.on("data", (bytes) => void database.write(bytes))
      database.on("data", (bytes) => {
        const read = framesIn(Buffer.concat([rest, bytes]))
        rest = Buffer.from(read.rest)
        for (const { content, type } of read.frames) {
          if (type === "N" && content.includes(marker)) wrote = true
          // An error ends the transaction.
          else if (type === "E") wrote = false
          else if (type === "Z" && content.toString() === "I" && wrote) {
            wrote = false
            count++
            if (count === limit) {
              kill()
              return void client.destroy()
            }
          }
        }
        client.write(bytes)
      })
      for (const [one, other] of [[client, database], [database, client]] as const) {
        one.on("error", () => other.destroy())
        one.on("close", () => other.destroy())
      }
    })
    const url = new URL(Redacted.value(real))
    url.host = `127.0.0.1:${yield* listening(server)}`
    return {
      url: Redacted.make(url.href),
      arm: (after, then) => {
        count = 0
        limit = after
        kill = then
      },
      count: () => count
    }
  })
