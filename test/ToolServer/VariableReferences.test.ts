import { assert, describe, it } from "@effect/vitest"
import { ToolServersRequest } from "@troupe/api/ToolServersApi"
import { ConfigProvider, Effect, Either, Redacted, Schema } from "effect"
import { expandedServer } from "../../src/ToolServer/ExpandedServer.ts"
import { entryWith } from "../../src/ToolServer/MaskedSecrets.ts"
import { toolServersOf } from "../../src/ToolServer/ServerConfig.ts"
import { expandedText, looksLikeReference, namesIn } from "../../src/ToolServer/VariableReferences.ts"

const values: Readonly<Record<string, string>> = {
  TOKEN: "s3cret-token",
  HOST: "api.example.org",
  PORT: "8080",
  ROOT: process.cwd()
}

const expanded = (text: string) => {
  const missing: Array<string> = []
  const result = expandedText(text, (name) => values[name], (name) => missing.push(name))
  return missing.length === 0 ? result : missing
}

describe("A reference to a variable", () => {
  it("is replaced by the value of the variable, or its default", () => {
    for (
      const [text, result] of [
        ["Bearer ${TOKEN}", "Bearer s3cret-token"],
        ["Bearer ${env:TOKEN}", "Bearer s3cret-token"],
        ["Bearer {env:TOKEN}", "Bearer s3cret-token"],
        ["https://${HOST}:${PORT}/mcp", "https://api.example.org:8080/mcp"],
        ["${NONE:-plain}", "plain"],
        ["${NONE:-}", ""],
        ["${NONE-plain}", "plain"],
        ["${env:NONE:-plain}", "plain"],
        ["${TOKEN:-plain}", "s3cret-token"],
        ["${NONE:-${TOKEN}}", "s3cret-token"],
        ["${NONE:-https://${HOST}/}", "https://api.example.org/"],
        ["$${TOKEN}", "${TOKEN}"],
        ["$TOKEN, %TOKEN%, {TOKEN}", "$TOKEN, %TOKEN%, {TOKEN}"]
      ] as const
    ) assert.strictEqual(expanded(text), result, text)
    assert.deepStrictEqual(expanded("${NONE} ${TOKEN} ${OTHER:-${MORE}}"), ["NONE", "MORE"])
    assert.deepStrictEqual(namesIn("${A} ${B:-${C}} $${D} ${A}"), ["A", "B", "C"])
  })

  it("may be meant by what is none", () => {
    for (const text of ["$TOKEN", "Bearer $TOKEN", "$env:TOKEN", "%API_KEY%", "${{ secrets.TOKEN }}", "{{TOKEN}}"]) {
      assert.isTrue(looksLikeReference(text), text)
    }
    for (const text of ["pa$$word", "Bearer abc", "50 % off", "$1", ""]) assert.isFalse(looksLikeReference(text), text)
  })
})

const decode = Schema.decodeUnknownSync(ToolServersRequest)

const rulesOf = (isHosted: boolean) => ({ isHosted, allowStdio: true, maxCallSeconds: 530 })

/** The server with values, as a request gives it, or the mistakes in it, or why it has no values. */
const started = (entry: unknown, { mayUseEnvironment = true, isHosted = false } = {}) =>
  Effect.gen(function*() {
    const checked = toolServersOf(decode({ mcpServers: { a: entry } }), rulesOf(isHosted), () => mayUseEnvironment)
    if (Either.isLeft(checked)) return checked.left.mistakes.map(({ message, path }) => `${path}: ${message}`)
    const [server] = checked.right
    if (server === undefined) return "no server"
    return yield* expandedServer(server).pipe(
      Effect.map((result) => ({ ...entryWith(result.server, Redacted.value), secrets: result.secrets })),
      Effect.merge
    )
  }).pipe(Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries({ ...values, EMPTY: "" })))))

describe("A server with references to variables", () => {
  it.effect("gets the values in each of its texts, and what is secret of them is known", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(
        yield* started({
          command: "${RUNNER:-npx}",
          args: ["--key=${TOKEN}", "${ROOT}/docs", "${LEVEL}"],
          cwd: "${ROOT}",
          env: { KEY: "${env:TOKEN}", LEVEL: "debug" }
        }),
        {
          command: "npx",
          args: ["--key=s3cret-token", `${process.cwd()}/docs`, "debug"],
          cwd: process.cwd(),
          env: { KEY: "s3cret-token", LEVEL: "debug" },
          secrets: ["s3cret-token"]
        }
      )
      assert.deepStrictEqual(
        yield* started({ url: "https://${HOST}/mcp", headers: { Authorization: "Bearer ${TOKEN}" } }),
        {
          type: "http",
          url: "https://api.example.org/mcp",
          headers: { Authorization: "Bearer s3cret-token" },
          secrets: ["s3cret-token"]
        }
      )
    }))

  it.effect("is an error with the name of one that is not set, and where", () =>
    Effect.gen(function*() {
      const header = (value: string) => ({ url: "https://example.org/mcp", headers: { Authorization: value } })
      for (const name of ["NONE", "EMPTY"]) {
        assert.strictEqual(
          yield* started(header(`Bearer \${${name}}`)),
          `its headers.Authorization refers to the variable ${name}, which is not set in the environment of the service`
        )
      }
      assert.strictEqual(
        yield* started({ url: "${TOKEN}/mcp" }),
        "its url can't be used with the values of its variables: an address that begins with http:// or https://"
      )
    }))

  it.effect("is refused where it may not use the environment, with the name", () =>
    Effect.gen(function*() {
      for (
        const [entry, field] of [
          [{ url: "https://example.org/mcp", headers: { "X-Key": "${TOKEN}" } }, "headers.X-Key"],
          [{ url: "https://${TOKEN}.example.org/mcp" }, "url"],
          [{ url: "https://example.org/mcp", headers: { "X-Key": "${env:TOKEN:-none}" } }, "headers.X-Key"],
          [{ command: "x", args: ["a", "${TOKEN}"] }, "args.1"],
          [{ command: "x", env: { KEY: "${NONE:-${TOKEN}}" } }, "env.KEY"],
          [{ command: "${TOKEN}" }, "command"],
          [{ command: "x", cwd: "/${TOKEN}" }, "cwd"]
        ] as const
      ) {
        const refused = yield* started(entry, { mayUseEnvironment: false, isHosted: true })
        assert.match(
          String(refused),
          new RegExp(`^mcpServers\\.a\\.${field}: \\$\\{(?:TOKEN|NONE)\\} is a variable of`)
        )
      }
      const own = { command: "sh", args: ["-c", "serve --key ${KEY}"], env: { KEY: "abc" } }
      assert.deepInclude(yield* started(own, { mayUseEnvironment: false, isHosted: true }), {
        args: ["-c", "serve --key abc"]
      })
    }))

  it.effect("is refused if it refers to what only another client has, and code of a shell is left alone", () =>
    Effect.gen(function*() {
      for (
        const text of [
          "${input:token}",
          "${file:/run/secret}",
          "${{ secrets.TOKEN }}",
          "${TOKEN",
          "${a.b}",
          "${env:A B}"
        ]
      ) {
        const refused = yield* started({ url: "https://example.org/mcp", headers: { "X-Key": `Bearer ${text}` } })
        assert.match(String(refused), /^mcpServers\.a\.headers\.X-Key: \$\{.* can't be resolved: give the value itself/)
      }
      assert.match(
        String(yield* started({ command: "x", args: ["${input:token}"] })),
        /^mcpServers\.a\.args\.0: \$\{input:token\}/
      )
      const code = "for f in ${list[@]}; do echo ${f##*/} ${f:0:3} ${f:=x} ${#f}; done"
      assert.deepInclude(yield* started({ command: "sh", args: ["-c", code] }), { args: ["-c", code] })
    }))
})
