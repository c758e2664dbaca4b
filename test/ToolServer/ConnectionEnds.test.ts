import { FileSystem } from "@effect/platform"
import { NodeFileSystem } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import type { RequestListener, ServerResponse } from "node:http"
import { publicLookup } from "../../src/Runtime/NetworkAddress.ts"
import type { Watchdog } from "../../src/Runtime/Process/Watchdog.ts"
import { atOneMoment, withShortSleeps } from "../support/FrozenClock.ts"
import { serve } from "../support/LocalServer.ts"
import { freePort } from "../support/Processes.ts"
import { address, connected, isAlive, misbehaved, program, said } from "../support/ToolServerFixture.ts"

type Server = Parameters<typeof connected>[0]

const addressOf = (answer: RequestListener) => Effect.map(serve(answer), (url) => `${url}/mcp`)

const command = (command: string, ...args: ReadonlyArray<string>): Server => ({
  ...program(args),
  command
})

/** Why no connection comes about. */
const refusal = (server: Server, options: Parameters<typeof connected>[1] = {}) =>
  Effect.map(
    Effect.flip(connected(server, { connectTimeout: Duration.seconds(20), ...options })),
    ({ reason }) => reason
  )

describe("No connection", () => {
  it.scopedLive("comes about to a server that does not start, and the error says why", () =>
    Effect.gen(function*() {
      assert.strictEqual(
        yield* refusal(misbehaved("hang-at-start"), { connectTimeout: Duration.millis(200) }),
        "it did not start within 200ms"
      )
      assert.strictEqual(yield* refusal(command("no-such")), "there is no program \"no-such\" on the PATH")
      const missing = "there is no program \"/no/such\", or not the interpreter that its first line names"
      assert.strictEqual(yield* refusal(command("/no/such")), missing)
      const nobody = `http://127.0.0.1:${yield* freePort}/`
      assert.include(yield* refusal(address("http", nobody)), "ECONNREFUSED")
      assert.include(yield* refusal(address("sse", nobody)), "ECONNREFUSED")
    }))

  it.scopedLive("comes about to a program that ends, and the error has what it wrote last, without secrets", () =>
    Effect.gen(function*() {
      const endOf = (code: string, output: string) =>
        Effect.map(
          refusal(program(["-e", code], { TOKEN: "hush-hush" })),
          (reason) => assert.strictEqual(reason, output, code)
        )
      const written = (stream: "error" | "output", ...lines: ReadonlyArray<string>) =>
        [`The end of its standard ${stream}:`, ...lines].join("\n")
      yield* Effect.all([
        endOf("process.exit(1)", "it ended with exit code 1"),
        endOf("", "it ended with exit code 0"),
        endOf(
          "console.error('No key'); console.log('Usage: x'); process.exitCode = 2",
          `it ended with exit code 2\n${written("error", "No key")}`
        ),
        endOf(
          "console.log('Usage: x'); process.exitCode = 64",
          `it ended with exit code 64\n${written("output", "Usage: x")}`
        ),
        endOf(
          "process.stderr.write('key ' + process.env.TOKEN); process.exitCode = 1",
          `it ended with exit code 1\n${written("error", "key [redacted]")}`
        ),
        endOf(
          "console.error('\\x1b[31mOut of memory\\x1b[0m\\x00'); process.kill(process.pid, 'SIGKILL')",
          `it was terminated by SIGKILL\n${written("error", "Out of memory")}`
        ),
        // Another process keeps the pipe open.
        endOf(
          "require('child_process').spawn('sleep', ['600'], { stdio: 'inherit' }).unref(); console.error('Bad'); process.exitCode = 1",
          `it ended with exit code 1\n${written("error", "Bad")}`
        )
      ], { concurrency: 4, discard: true })
      const slow = program(["-e", "console.error('Listening on port 3000'); setTimeout(() => {}, 600000)"])
      assert.strictEqual(
        yield* refusal(slow, { connectTimeout: Duration.seconds(2) }),
        `it did not start within 2s\n${written("error", "Listening on port 3000")}`
      )
    }))

  it.scopedLive("comes about to a file that is no program, and the error says what is wrong with it", () =>
    Effect.gen(function*() {
      const files = yield* FileSystem.FileSystem
      const folder = yield* files.makeTempDirectoryScoped()
      const refusalOf = Effect.fnUntraced(function*(name: string, text: string, mode: number) {
        yield* files.writeFileString(`${folder}/${name}`, text)
        yield* files.chmod(`${folder}/${name}`, mode)
        return yield* refusal(command(`${folder}/${name}`))
      })
      assert.include(yield* refusalOf("closed", "#!/bin/sh\n", 0o644), "(EACCES): it is not executable")
      assert.include(yield* refusalOf("lost", "#!/no/such/interpreter\n", 0o755), "or not the interpreter")
      const unknown = yield* refusalOf("unknown", "#!/usr/bin/env no-such-interpreter\n", 0o755)
      assert.match(unknown, /^it ended with exit code 127\nThe end of its standard error:\n.*no-such-interpreter/)
    }).pipe(Effect.provide(NodeFileSystem.layer)))

  it.scopedLive("comes about to a server that refuses it, and the error has its status and what to do", () =>
    Effect.gen(function*() {
      const always = (status: number, headers: Readonly<Record<string, string>> = {}, body = "no") =>
        addressOf((_request, response) => response.writeHead(status, headers).end(body))
      for (const transport of ["http", "sse"] as const) {
        for (const [status, advice] of [[401, "token"], [403, "token"], [404, "no MCP server"], [405, "no MCP"]]) {
          const reason = yield* refusal(address(transport, yield* always(Number(status))))
          assert.include(reason, `it answers with status ${status}`)
          assert.include(reason, String(advice))
        }
        assert.include(yield* refusal(address(transport, yield* always(500))), "it answers with status 500")
        const moved = yield* always(302, { location: "https://elsewhere.example/mcp" })
        assert.include(yield* refusal(address(transport, moved)), "https://elsewhere.example/mcp")
        const page = yield* always(200, { "content-type": "text/html" }, "<html>")
        assert.include(yield* refusal(address(transport, page)), "it is no MCP server")
      }
      const json = yield* always(200, { "content-type": "application/json" }, "{}")
      assert.include(yield* refusal(address("http", json)), "it is no MCP server")
    }))

  it.scopedLive("is made where the rules of a hosted service forbid it, whatever was configured before", () =>
    Effect.gen(function*() {
      const rules = { isHosted: true, allowStdio: false }
      for (const host of ["127.0.0.1", "[::1]", "2130706433", "localhost"]) {
        const reason = yield* refusal(address("http", `http://${host}:1/mcp`), { rules })
        assert.include(reason, "private, local and reserved addresses", host)
      }
      assert.include(yield* refusal(program([]), { rules }), "programs can't be started")
      // A name that looks public may resolve to an address that is not.
      const resolved = yield* Effect.async<unknown>((resume) =>
        publicLookup("localhost", { all: true }, (error) => resume(Effect.succeed(error)))
      )
      assert.include(String(resolved), "localhost has no address that may be connected to from here")
    }))
})

/** Writes as fast as the other side reads. */
const writeEndlessly = (response: ServerResponse, text: string): void => {
  const write = (): void => {
    if (response.destroyed) return
    if (response.write(text)) setImmediate(write)
    else response.once("drain", write)
  }
  write()
}

/** The address of a server that answers each request with a stream of the text without end. */
const streaming = (text: string) =>
  addressOf((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    writeEndlessly(response, text)
  })

/** The address of a server that accepts a session and then answers calls so. */
const answering = (call: (response: ServerResponse) => void) => {
  let requests = 0
  const result = { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "x", version: "1" } }
  return addressOf((request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end()
    if (request.headers["mcp-method"] === "server/discover") return void response.writeHead(400).end()
    requests++
    if (requests > 2) return call(response)
    if (requests === 2) return void response.writeHead(202).end()
    response.writeHead(200, { "content-type": "application/json" }).end(
      JSON.stringify({ jsonrpc: "2.0", id: 0, result })
    )
  })
}

describe("A connection ends", () => {
  const endOf = (server: Server) =>
    connected(server, { connectTimeout: Duration.seconds(100) }).pipe(
      Effect.flatMap(({ closed }) => closed),
      Effect.catchAll(({ reason }) => Effect.succeed(reason)),
      Effect.scoped,
      atOneMoment,
      withShortSleeps
    )
  const flood = /^it sent more than 10000 lines, .* that no call asked for; a message counts five$/m

  it.scopedLive("at a flood from a program, and not at lines that are no messages", () =>
    Effect.gen(function*() {
      const noisy = yield* connected(misbehaved("babbles"))
      assert.strictEqual(yield* said(noisy, "noise"), "through the noise")
      const ends = yield* Effect.all([
        Effect.map(Effect.flip(said(noisy, "giant")), ({ reason, what }) => `${what}: ${reason}`),
        endOf(misbehaved("floods")),
        endOf(misbehaved("chatters")),
        endOf(misbehaved("raves")),
        endOf(command("yes", ""))
      ], { concurrency: 2 })
      assert.strictEqual(ends[0], "lost: it sent a message of more than 10 MB")
      assert.match(
        ends[1],
        /^it writes text to its standard output that is not of the protocol\nThe end of its standard output:\nno message/
      )
      assert.match(ends[2], flood)
      assert.match(ends[3], flood, "standard error")
      assert.match(ends[4], flood, "blank lines")
    }))

  it.scopedLive("at a flood of comments or fields in a stream of events", () =>
    Effect.gen(function*() {
      for (const line of [":\n", ":\r", "\n", "id\n", "event: message\n\n"]) {
        assert.match(yield* endOf(address("http", yield* streaming(line.repeat(10_000)))), flood, JSON.stringify(line))
      }
      assert.match(yield* endOf(address("sse", yield* streaming(":\n".repeat(10_000)))), flood)
    }))

  it.scopedLive("when the server crashes, is gone or does not know the session any more, and with it its calls", () =>
    Effect.gen(function*() {
      const lost = yield* answering((response) => {
        response.writeHead(200, { "content-type": "application/json" }).write("{")
        setImmediate(() => response.destroy())
      })
      const forgotten = yield* answering((response) => void response.writeHead(404).end())
      for (
        const [server, reason, what] of [
          [misbehaved(), "it ended with exit code 3", "lost"],
          [address("http", lost), "the connection was lost", "lost"],
          [address("http", forgotten), "it does not know the session any more (status 404)", "untaken"]
        ] as const
      ) {
        const connection = yield* connected(server)
        assert.deepInclude(yield* Effect.flip(said(connection, "boom")), { what, reason })
        const output = server.transport === "stdio" ? "\nThe end of its standard error:\nIt went boom" : ""
        assert.strictEqual(yield* connection.closed, reason + output)
        assert.isTrue(connection.isClosed())
      }
    }))

  it.scopedLive("not when the server refuses a call for its token, which was not taken", () =>
    Effect.gen(function*() {
      for (const status of [401, 403]) {
        const connection = yield* connected(
          address("http", yield* answering((response) => void response.writeHead(status).end("No")))
        )
        const { reason, what } = yield* Effect.flip(said(connection, "count"))
        assert.strictEqual(what, "refused")
        assert.include(reason, `it answers with status ${status} (check the token in its headers)`)
        assert.isFalse(connection.isClosed())
      }
    }))
})

describe("The end of a connection", () => {
  it.scopedLive("leaves no process of the server, whatever signals it ignores, and is guarded until then", () =>
    Effect.gen(function*() {
      const guarded: Array<string> = []
      const released: Array<{ readonly id: string; readonly alive: ReadonlyArray<boolean> }> = []
      let pids: ReadonlyArray<number> = []
      const watchdog: Watchdog["Type"] = {
        guard: (id) => void guarded.push(id),
        release: (id) => void released.push({ id, alive: pids.map(isAlive) })
      }
      yield* Effect.scoped(Effect.gen(function*() {
        const connection = yield* connected(misbehaved("stubborn"), { watchdog })
        const started = ["count", "fork", "daemonize", "estrange"].map((tool) => said(connection, tool))
        pids = (yield* Effect.all(started)).map((text) => Number.parseInt(text))
        assert.deepStrictEqual(pids.map(isAlive), [true, true, true, true])
      })).pipe(withShortSleeps)
      assert.lengthOf(new Set(guarded), 1)
      assert.deepStrictEqual(released, guarded.slice(0, 1).map((id) => ({ id, alive: [false, false, false, false] })))
    }))

  it.scopedLive("leaves no daemon of a server that crashed", () =>
    Effect.gen(function*() {
      const daemon = yield* Effect.scoped(Effect.gen(function*() {
        const connection = yield* connected(misbehaved())
        const daemon = Number(yield* said(connection, "daemonize"))
        yield* Effect.either(said(connection, "boom"))
        assert.isTrue(isAlive(daemon))
        return daemon
      })).pipe(withShortSleeps)
      assert.isFalse(isAlive(daemon))
    }))
})
