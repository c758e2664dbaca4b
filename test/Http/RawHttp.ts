import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { connect, type Socket } from "node:net"

/** A connection on which a test writes bytes as it likes and reads what comes back. */
export interface Connection {
  readonly socket: Socket
  readonly write: (text: string | Uint8Array) => void
  /** All that was received once `done` says so, or the other side has closed. */
  readonly until: (done: (received: string) => boolean) => Effect.Effect<string>
  readonly closed: Effect.Effect<string>
}

export const connected = (port: number) =>
  Effect.acquireRelease(
    Effect.async<Connection>((resume) => {
      const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true })
      let received = ""
      let over = false
      const watchers = new Set<() => void>()
      const notify = () => watchers.forEach((look) => look())
      socket.setEncoding("latin1")
      socket.on("data", (chunk) => {
        received += chunk
        notify()
      })
      const end = () => {
        over = true
        notify()
      }
      socket.on("end", end).on("close", end).on("error", end)
      const until = (done: (received: string) => boolean) =>
        Effect.async<string>((resume) => {
          const look = () => {
            if (!over && !done(received)) return
            watchers.delete(look)
            resume(Effect.succeed(received))
          }
          watchers.add(look)
          look()
        })
      socket.on("connect", () =>
        resume(Effect.succeed({
          socket,
          write: (text: string | Uint8Array) => void socket.write(text),
          until,
          closed: until(() => false)
        })))
    }),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly json: unknown
}

const complete = (received: string) => {
  const end = received.indexOf("\r\n\r\n")
  if (end < 0) return false
  const length = /^content-length: (\d+)/im.exec(received)
  return length === null ? true : received.length >= end + 4 + Number(length[1])
}

const parsed = (received: string): Answer => {
  const [head = "", ...rest] = received.split("\r\n\r\n")
  const [line = "", ...fields] = head.split("\r\n")
  const headers = Object.fromEntries(fields.map((field) => {
    const at = field.indexOf(":")
    return [field.slice(0, at).toLowerCase(), field.slice(at + 1).trim()]
  }))
  const text = rest.join("\r\n\r\n")
  return {
    status: Number(line.split(" ")[1]),
    headers,
    text,
    json: /json/.test(headers["content-type"] ?? "") && text !== "" ? JSON.parse(text) : null
  }
}

export interface Request {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

const json = { "content-type": "application/json" }

/** Writes one request on a connection and reads its answer; the connection stays as the server leaves it. */
export const exchange = (connection: Connection, port: number, request: Request) =>
  Effect.suspend(() => {
    const body = request.body === undefined ? undefined : Buffer.from(request.body)
    const headers = {
      host: `127.0.0.1:${port}`,
      ...(body === undefined ? {} : { ...json, "content-length": String(body.length) }),
      ...request.headers
    }
    const lines = Object.entries(headers).filter(([, value]) => value !== "").map(([name, value]) =>
      `${name}: ${value}`
    )
    let before = ""
    return connection.until(() => true).pipe(
      Effect.map((received) => (before = received)),
      Effect.tap(() =>
        Effect.sync(() => {
          connection.write(`${request.method ?? "GET"} ${request.path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`)
          if (body !== undefined) connection.write(body)
        })
      ),
      Effect.zipRight(connection.until((received) => complete(received.slice(before.length)))),
      Effect.map((received) => parsed(received.slice(before.length)))
    )
  })

/** What comes back for these bytes, on a connection of its own. */
export const answerTo = (port: number, bytes: string) =>
  Effect.scoped(Effect.gen(function*() {
    const connection = yield* connected(port)
    connection.write(bytes)
    return parsed(yield* connection.until(complete))
  }))

/** One request on a connection of its own. */
export const request = (port: number, request: Request) =>
  Effect.scoped(Effect.flatMap(connected(port), (connection) => exchange(connection, port, request)))

export const post = (port: number, path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  request(port, { method: "POST", path, headers, body: JSON.stringify(body) })

/** Sees that the answer is a problem of this kind, and answers it. */
export const isProblem = (answer: Answer, status: number, slug: string) => {
  assert.strictEqual(answer.status, status, answer.text)
  assert.strictEqual(answer.headers["content-type"], "application/problem+json")
  const problem = answer.json as {
    type: string
    status: number
    instance: string
    errors?: Array<{ path: string; message?: string }>
  }
  assert.strictEqual(problem.type, `/problems/${slug}`)
  assert.strictEqual(problem.status, status)
  assert.strictEqual(problem.instance, answer.headers["x-request-id"])
  if (slug === "invalid-request") assert.isNotEmpty(problem.errors ?? [], answer.text)
  return problem
}
