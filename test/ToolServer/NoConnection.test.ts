import { FileSystem } from "@effect/platform"
import { NodeFileSystem } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { publicLookup } from "../../src/Runtime/NetworkAddress.ts"
import { freePort } from "../support/Processes.ts"
import { address, connected, misbehaved, program } from "../support/ToolServerFixture.ts"
import { addressOf, command, type Server } from "./connectionDoubles.ts"

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
