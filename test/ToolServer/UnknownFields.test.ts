import { assert, describe, it } from "@effect/vitest"
import { ToolServersRequest } from "@troupe/api/ToolServersApi"
import { Either, ParseResult, Schema } from "effect"
import { toolServersOf } from "../../src/ToolServer/ServerConfig.ts"
import { warningsOf } from "../../src/ToolServer/UnknownFields.ts"

const rules = { isHosted: false, allowStdio: true, maxCallSeconds: 530 }

const decode = Schema.decodeUnknownEither(ToolServersRequest, { errors: "all" })

/** All mistakes of the request, of its form too. */
const mistakes = (request: unknown): ReadonlyArray<string> =>
  Either.match(decode(request), {
    onLeft: (error) =>
      ParseResult.ArrayFormatter.formatErrorSync(error).map(({ message, path }) => `${path.join(".")}: ${message}`),
    onRight: (decoded) =>
      Either.match(toolServersOf(decoded, rules, () => true), {
        onLeft: ({ mistakes }) => mistakes.map(({ message, path }) => `${path}: ${message}`),
        onRight: () => []
      })
  })

const remote = { url: "https://example.org/mcp" }
const program = { command: "npx" }

describe("A configuration written for another client", () => {
  const fields: ReadonlyArray<readonly [field: string, entry: Readonly<Record<string, unknown>>, right: RegExp]> = [
    ["serverUrl", { serverUrl: remote.url }, /the address is url$/],
    ["httpUrl", { httpUrl: remote.url }, /the address is url, with type http$/],
    ["server_url", { server_url: remote.url }, /the address is url$/],
    ["uri", { uri: remote.url }, /the address is url$/],
    ["transport", { ...remote, transport: "sse" }, /type is http or sse for a url/],
    ["transportType", { ...remote, transportType: "sse" }, /type is http or sse for a url/],
    ["cmd", { cmd: "npx" }, /the program is command$/],
    ["environment", { ...program, environment: { A: "b" } }, /the variables are env$/],
    ["envFile", { ...program, envFile: ".env" }, /put them there$/],
    ["timeout", { ...program, timeout: 60_000 }, /timeout_seconds/],
    ["timeoutSeconds", { ...program, timeoutSeconds: 60 }, /Did you mean timeout_seconds\?$/],
    ["disabledTools", { ...program, disabledTools: ["a"] }, /allowed_tools/],
    ["excludeTools", { ...program, excludeTools: ["a"] }, /allowed_tools/],
    ["includeTools", { ...program, includeTools: ["a"] }, /allowed_tools/],
    ["allowedTools", { ...program, allowedTools: ["a"] }, /Did you mean allowed_tools\?$/],
    ["enabled", { ...program, enabled: false }, /disabled: true/],
    ["http_headers", { ...remote, http_headers: { A: "b" } }, /they are headers$/],
    ["bearer_token_env_var", { ...remote, bearer_token_env_var: "TOKEN" }, /Bearer \$\{NAME\}/],
    ["header", { ...remote, header: { A: "b" } }, /Did you mean headers\?$/],
    ["sandbox", { ...program, sandbox: true }, /The fields are command, args,/]
  ]
  for (const [field, entry, right] of fields) {
    it(`has ${field}: the error names it and the right one`, () => {
      const found = mistakes({ mcpServers: { a: entry } })
      assert.lengthOf(found, 1)
      assert.match(found[0] ?? "", new RegExp(`^mcpServers\\.a\\.${field}: there is no such field: `))
      assert.match(found[0] ?? "", right)
    })
  }

  it("has another form: the error says which is right, and shows nothing of what was given", () => {
    for (const mcpServers of [[{ name: "a", command: "hush" }], null, "hush"]) {
      const found = mistakes({ mcpServers }).join("\n")
      assert.match(found, /^mcpServers: an object /)
      assert.notInclude(found, "hush")
    }
  })

  it("has its servers elsewhere: the error says where they belong", () => {
    for (
      const request of [{ servers: { a: program } }, { context_servers: { a: program } }, { mcp: { servers: {} } }, {}]
    ) {
      assert.match(mistakes(request).join(), /^mcpServers: the tool servers by name belong under mcpServers/)
    }
    for (const name of ["servers", "context_servers", "mcp_servers", "mcp"]) {
      assert.deepStrictEqual(mistakes({ mcpServers: {}, [name]: { a: program } }), [
        `${name}: the servers by name belong under mcpServers`
      ])
    }
    const inputs = [{ id: "token", type: "promptString" }]
    assert.match(mistakes({ mcpServers: {}, inputs }).join(), /^inputs: values can't be asked for/)
    // The file of a client has other settings, too.
    assert.deepStrictEqual(mistakes({ mcpServers: { a: program }, theme: "dark", $schema: "x" }), [])
  })

  it("has a command that is no text: the error says what it is", () => {
    for (const command of [{ path: "npx", args: [] }, ["npx", "-y"]]) {
      assert.match(
        mistakes({ mcpServers: { a: { command } } }).join(),
        /^mcpServers\.a\.command: .* its arguments belong in args/
      )
    }
    assert.include(
      mistakes({ mcpServers: { a: { command: "npx", args: "-y" } } }),
      "mcpServers.a.args: a list of texts"
    )
  })

  it("names streamable HTTP in any of its spellings", () => {
    for (const type of ["http", "HTTP", "streamable-http", "streamable_http", "streamableHttp", "sse", "SSE"]) {
      assert.deepStrictEqual(mistakes({ mcpServers: { a: { ...remote, type } } }), [], type)
    }
    for (const type of ["stdio", "remote", "websocket"]) {
      assert.match(mistakes({ mcpServers: { a: { ...remote, type } } }).join(), /^mcpServers\.a\.type: /, type)
    }
  })

  it("has fields that change nothing: they are warnings, as is a value that looks like a reference", () => {
    const request = {
      mcpServers: {
        a: {
          ...program,
          alwaysAllow: ["x"],
          autoApprove: [],
          description: "Mine",
          icon: "x.png",
          _comment: "",
          "//": ""
        },
        b: { ...remote, headers: { "X-Key": "$API_KEY", "X-Other": "abc" } }
      }
    }
    assert.deepStrictEqual(mistakes(request), [])
    const warnings = warningsOf(Either.getOrThrow(decode(request)))
    assert.deepStrictEqual(
      warnings.get("a"),
      ["alwaysAllow", "autoApprove", "description", "icon", "_comment", "//"].map((name) =>
        `${name} in its configuration has no effect here`
      )
    )
    assert.deepStrictEqual(warnings.get("b"), [
      "headers.X-Key in its configuration is sent as it is: only ${NAME} refers to a variable"
    ])
  })
})
