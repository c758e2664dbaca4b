import { Predicate } from "effect"
import { connect } from "node:net"
import type { Client, Pool } from "pg"

/** What the protocol calls a cancel request, in place of a version. */
const cancelCode = 80_877_102

const numberIn = (client: Client, field: "processID" | "secretKey"): number =>
  Predicate.hasProperty(client, field) && typeof client[field] === "number" ? client[field] : 0

/**
 * Cancels the statement of a connection as the protocol does: it takes none of the server's connections, and also reaches
 * the statement through a pooler. `done` is called once the server has read it, or can't be reached.
 */
const requestCancel = (client: Client, done: () => void): void => {
  const { host, port } = client
  const message = Buffer.alloc(16)
  message.writeInt32BE(16, 0)
  message.writeInt32BE(cancelCode, 4)
  message.writeInt32BE(numberIn(client, "processID"), 8)
  message.writeInt32BE(numberIn(client, "secretKey"), 12)
  const socket = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  socket.on("error", () => {}).once("close", done).resume()
  socket.write(message)
}

/** `@effect/sql-pg` cancels by `pool.query("SELECT pg_cancel_backend(<process>)", done)`, for which it has no option. */
export const cancelByProtocol = (pool: Pool): void => {
  const clients = new Map<string, Client>()
  pool.on("connect", (client) => clients.set(String(numberIn(client, "processID")), client))
  pool.on("remove", (client) => clients.delete(String(numberIn(client, "processID"))))
  const cancel = (text: string, done: () => void): void => {
    const client = clients.get(/-?\d+/.exec(text)?.[0] ?? "")
    if (client === undefined) done()
    else requestCancel(client, done)
  }
  Object.defineProperty(pool, "query", { value: cancel })
}
