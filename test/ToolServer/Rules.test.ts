import { assert, describe, it } from "@effect/vitest"
import { ToolServersRequest } from "@troupe/api/ToolServersApi"
import { Duration, Either, FastCheck as fc, Schema } from "effect"
import { isPublicHost } from "../../src/Runtime/NetworkAddress.ts"
import { redactTool } from "../../src/ToolServer/Redaction.ts"
import { maxCallSecondsOf } from "../../src/ToolServer/ServerCall.ts"
import { toolServersOf } from "../../src/ToolServer/ServerConfig.ts"
import { boundNames, serverToolsOf } from "../../src/ToolServer/ServerTool.ts"
import { repairedSchema } from "../../src/ToolServer/ToolSchema.ts"

const selfHosted = { isHosted: false, allowStdio: false, maxCallSeconds: 530 }

const hosted = { isHosted: true, allowStdio: false, maxCallSeconds: 530 }

const decode = Schema.decodeUnknownSync(ToolServersRequest)

const checked = (mcpServers: unknown, rules = selfHosted) =>
  toolServersOf(decode({ mcpServers }), rules, () => !rules.isHosted)

const paths = (mcpServers: unknown, rules = selfHosted): ReadonlyArray<string> =>
  Either.match(checked(mcpServers, rules), {
    onLeft: ({ mistakes }) => mistakes.map(({ path }) => path),
    onRight: () => []
  })

describe("The configuration of tool servers", () => {
  it("accepts the usual MCP format", () => {
    const servers = Either.getOrThrow(checked({
      files: { command: "npx", args: ["-y", "server"], env: { TOKEN: "secret" } },
      web: { url: "https://example.org/mcp", headers: { Authorization: "Bearer x" }, disabled: true },
      old: { url: "https://example.org/sse", type: "sse", timeout_seconds: 5, allowed_tools: ["a"] }
    }))
    assert.deepStrictEqual(servers.map(({ name, transport }) => [name, transport]), [
      ["files", "stdio"],
      ["old", "sse"],
      ["web", "http"]
    ])
    assert.notInclude(JSON.stringify(servers), "secret")
  })

  it("names the fields that are wrong, and shows no secret", () => {
    assert.deepStrictEqual(paths({ "": { command: "x" } }), ["mcpServers."])
    assert.deepStrictEqual(paths({ a: {} }), ["mcpServers.a"])
    assert.deepStrictEqual(paths({ a: { command: "x", url: "https://example.org" } }), ["mcpServers.a"])
    assert.deepStrictEqual(paths({ a: { url: "file:///etc/passwd" } }), ["mcpServers.a.url"])
    assert.deepStrictEqual(paths({ a: { url: "https://me:pw@example.org" } }), ["mcpServers.a.url"])
    assert.deepStrictEqual(paths({ a: { url: "https://example.org", type: "carrier-pigeon", args: [] } }), [
      "mcpServers.a.type",
      "mcpServers.a.args"
    ])
    assert.deepStrictEqual(
      paths({ a: { url: "https://example.org", headers: { "a b": "x", b: "c\nd", Host: "e" } } }),
      [
        "mcpServers.a.headers.a b",
        "mcpServers.a.headers.b",
        "mcpServers.a.headers.Host"
      ]
    )
    assert.deepStrictEqual(
      paths({ a: { command: "x", env: { "A=B": "y", C: "\0" } }, b: { command: "x", headers: {} } }),
      [
        "mcpServers.a.env.A=B",
        "mcpServers.a.env.C",
        "mcpServers.b.headers"
      ]
    )
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`s${index}`, { command: "x" }]))
    assert.deepStrictEqual(paths(many), ["mcpServers"])
  })

  it("takes a time-out that the longest step leaves time for, and names the maximum", () => {
    const steps = [Duration.minutes(5), Duration.minutes(10)]
    assert.strictEqual(maxCallSecondsOf(steps), 530)
    assert.deepStrictEqual([Duration.hours(2), Duration.seconds(1)].map((step) => maxCallSecondsOf([step])), [600, 1])
    assert.deepStrictEqual(paths({ a: { command: "x", timeout_seconds: 530 } }), [])
    const refused = Either.flip(checked({ a: { command: "x", timeout_seconds: 600 } }))
    const [mistake] = Either.getOrThrow(refused).mistakes
    assert.strictEqual(mistake?.path, "mcpServers.a.timeout_seconds")
    assert.include(mistake?.message, "from 1 to 530,")
  })

  it("on a hosted instance starts no programs unless that is allowed, and reaches the public internet only", () => {
    assert.deepStrictEqual(paths({ a: { command: "x" } }, hosted), ["mcpServers.a.command"])
    assert.deepStrictEqual(
      paths({ a: { command: "x" } }, { isHosted: true, allowStdio: true, maxCallSeconds: 530 }),
      []
    )
    for (
      const host of [
        "127.0.0.1",
        "10.0.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "0.0.0.0",
        "100.64.0.1",
        "[::1]",
        "[fe80::1]",
        "[fc00::1]",
        "[::ffff:10.0.0.1]",
        "[::7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::a00:1]",
        "2130706433",
        "0x7f.1",
        "localhost",
        "localhost.",
        "db",
        "metadata.google.internal",
        "metadata.goog",
        "printer.local",
        // Where clouds serve their own machines, in each form.
        "169.254.169.254",
        "169.254.170.2",
        "168.63.129.16",
        "2822734096",
        "0250.077.0201.020",
        "[::ffff:168.63.129.16]",
        "[::168.63.129.16]",
        "[64:ff9b::a83f:8110]",
        "[64:ff9b:1::a83f:8110]",
        "[2002:a83f:8110::1]",
        "[::ffff:0:a83f:8110]",
        "[2001:0:4136:e378:8000:63bf:57c0:7eef]",
        "[2606:4700::5efe:a83f:8110]",
        "[2606:4700::200:5efe:a83f:8110]",
        "100.100.100.200",
        "192.0.0.192",
        "[fd00:ec2::254]",
        "[fd20:ce::254]",
        "[fe80::a9fe:a9fe]"
      ]
    ) assert.deepStrictEqual(paths({ a: { url: `http://${host}/mcp` } }, hosted), ["mcpServers.a.url"], host)
    assert.isTrue(isPublicHost("example.org"))
    assert.isTrue(isPublicHost("[2606:4700::1111]"))
  })
})

const named = fc.record({
  server: fc.string({ minLength: 1, maxLength: 64 }),
  name: fc.string({ minLength: 1, maxLength: 99 })
})

describe("The names of server tools", () => {
  it("fit every provider, are all different, and don't depend on the order", () => {
    fc.assert(fc.property(fc.uniqueArray(named, { selector: ({ name, server }) => `${server}\0${name}` }), (tools) => {
      const bound = boundNames(tools)
      assert.strictEqual(bound.size, tools.length)
      for (const name of bound.keys()) assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/)
      const reversed = boundNames(tools.toReversed())
      for (const [name, tool] of bound) assert.strictEqual(reversed.get(name), tool)
    }))
  })

  it("are plain where they can be, and never a name that is taken", () => {
    const tools = [{ server: "a", name: "b__c" }, { server: "a__b", name: "c" }, { server: "s", name: "x.y" }, {
      server: "s",
      name: "x_y"
    }]
    const names = [...boundNames(tools, new Set(["other"])).keys()]
    assert.include(names, "s__x_y")
    assert.isFalse(names.includes("a__b__c"))
    assert.strictEqual(boundNames(tools).get("s__x_y")?.name, "x_y")
    const beside = [...boundNames([{ server: "s", name: "x" }], new Set(["s__x"])).keys()]
    assert.match(beside.join(), /^s__x_[0-9a-f]{8}$/)
  })
})

describe("The list of a server", () => {
  it("is without the tools whose name can't be stored", () => {
    const listed = ["a\0b", "\uD800", "fine"].map((name) => ({ name, inputSchema: { type: "object" } }))
    assert.deepStrictEqual(serverToolsOf("s", listed).tools.map(({ name }) => name), ["fine"])
  })

  it("shows no secret, and keeps the structure of the schema", () => {
    const tool = {
      name: "hush-hush",
      description: "Key hush-hush.",
      inputSchema: { type: "hush-hush", properties: { type: { type: "string", default: "hush-hush" } } }
    }
    assert.deepStrictEqual(redactTool(tool, (text) => text.replaceAll("hush-hush", "*")), {
      name: "hush-hush",
      description: "Key *.",
      inputSchema: { type: "hush-hush", properties: { type: { type: "string", default: "*" } } }
    })
  })

  it("hides its secrets in lists of lists and at any depth", () => {
    const redact = (text: string) => text.replaceAll("hush-hush", "*")
    assert.deepStrictEqual(redactTool({ examples: [["hush-hush"]] }, redact), { examples: [["*"]] })
    const deep = Array.from({ length: 200 }).reduce<unknown>((inner) => ({ items: inner }), { default: "hush-hush" })
    assert.notInclude(JSON.stringify(redactTool(deep, redact)), "hush-hush")
  })
})

describe("The schema of a server's tool", () => {
  it("becomes one that providers take", () => {
    assert.deepStrictEqual(repairedSchema(undefined), { type: "object", properties: {} })
    assert.deepStrictEqual(repairedSchema("nonsense"), { type: "object", properties: {} })
    assert.deepStrictEqual(
      repairedSchema({
        $schema: "http://json-schema.org/draft-07/schema#",
        anyOf: [{ required: ["a"] }],
        properties: { a: true, b: { $ref: "http://evil.example/x.json" }, c: { type: "string", enum: ["d"] } },
        required: ["a", "zzz", 7],
        additionalProperties: false
      }),
      {
        type: "object",
        properties: { a: {}, b: {}, c: { type: "string", enum: ["d"] } },
        required: ["a"],
        additionalProperties: false
      }
    )
  })

  it("is cut where it is too deep or too long", () => {
    let deep: unknown = { type: "string" }
    for (let level = 0; level < 5_000; level++) deep = { type: "object", properties: { next: deep } }
    assert.isBelow(JSON.stringify(repairedSchema(deep)).length, 2_000)
    const long = {
      properties: Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`p${n}`, { type: "string" }]))
    }
    assert.deepStrictEqual(repairedSchema(long), { type: "object", properties: {} })
  })

  it("changes the digest of its tool, as every other word does, but not by the order of its keys", () => {
    const digest = (tool: unknown) => serverToolsOf("s", [tool]).tools[0]?.digest
    const one = { name: "a", description: "b", inputSchema: { type: "object", properties: {} } }
    assert.strictEqual(
      digest(one),
      digest({ inputSchema: { properties: {}, type: "object" }, description: "b", name: "a" })
    )
    assert.notStrictEqual(digest(one), digest({ ...one, description: "c" }))
    assert.notStrictEqual(digest(one), digest({ ...one, annotations: { readOnlyHint: true } }))
  })
})
