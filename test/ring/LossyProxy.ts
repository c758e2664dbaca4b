import { Effect, Redacted, type Scope } from "effect"
import { connect, createServer } from "node:net"
import { listening } from "../support/LocalServer.ts"

/** A TCP proxy before PostgreSQL that drops answers: the server has carried out the statement, and the client never learns it. */
export interface LossyProxy {
  readonly url: Redacted.Redacted
  /** Drops the next answers to the prepared statement of this name, `times` of them, with their connections. */
  readonly lose: (statement: string, times: number) => void
  /** How many answers are still to be dropped. */
  readonly left: () => number
}

/** ReadyForQuery of an idle session: the last message of each answer, sent once all is committed. */
const ready = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])

/** The longest name that a statement may have. */
const nameLength = 63

export const makeLossyProxy = (real: Redacted.Redacted): Effect.Effect<LossyProxy, never, Scope.Scope> =>
  Effect.gen(function*() {
    const { hostname, port } = new URL(Redacted.value(real))
    const left = new Map<string, number>()

    const takeLoss = (sent: string): boolean => {
      const name = [...left.keys()].find((statement) => sent.includes(`${statement}\0`))
      if (name === undefined) return false
      const times = (left.get(name) ?? 0) - 1
      if (times > 0) left.set(name, times)
      else left.delete(name)
      return true
    }

    const server = createServer((client) => {
      const database = connect(Number(port), hostname)
      let tail = ""
      let isLost = false
      client.on("data", (bytes) => {
        const sent = tail + bytes.toString("latin1")
        tail = sent.slice(-nameLength)
        isLost ||= takeLoss(sent)
        if (isLost) tail = ""
        database.write(bytes)
      })
      database.on("data", (bytes) => {
        if (!isLost) client.write(bytes)
        else if (bytes.subarray(-ready.length).equals(ready)) client.destroy()
      })
      for (const [one, other] of [[client, database], [database, client]] as const) {
        one.on("error", () => other.destroy())
        one.on("close", () => other.destroy())
      }
    })
    const own = yield* listening(server)
    const url = new URL(Redacted.value(real))
    url.host = `127.0.0.1:${own}`
    return {
      url: Redacted.make(url.href),
      lose: (statement, times) => void left.set(statement, times),
      left: () => [...left.values()].reduce((sum, times) => sum + times, 0)
    }
  })
