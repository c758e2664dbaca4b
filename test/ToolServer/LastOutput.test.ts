import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { makeLastOutput } from "../../src/ToolServer/LastOutput.ts"
import { makeRedaction } from "../../src/ToolServer/Redaction.ts"
import { program } from "../support/ToolServerFixture.ts"

const key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n"
const env = { TOKEN: "hush-hush", KEY: key }

const shown = (lines: ReadonlyArray<string>, stream: "error" | "other" = "error") => {
  const output = makeLastOutput(makeRedaction(program([], env)))
  for (const line of lines) output[stream](line)
  return output.text().split("\n").slice(1)
}

describe("The end of what a program has written", () => {
  it("is its standard error, else its standard output, and nothing where there is none", () => {
    const output = makeLastOutput((text) => text)
    assert.strictEqual(output.text(), "")
    output.error("  ")
    output.other("Usage: server PORT")
    assert.strictEqual(output.text(), "The end of its standard output:\nUsage: server PORT")
    output.error("No such option")
    assert.strictEqual(output.text(), "The end of its standard error:\nNo such option")
  })

  it("has what went wrong and no frames of the stack, of Node, Java and Python", () => {
    const node = [
      "node:internal/modules/cjs/loader:1228",
      "  throw err;",
      "  ^",
      "",
      "Error: Cannot find module '/srv/server.js'",
      ...Array.from({ length: 9 }, (_, at) => `    at Function.frame${at} (node:internal/modules/cjs/loader:${at}:15)`),
      "    at node:internal/main/run_main_module:36:49 {",
      "  code: 'MODULE_NOT_FOUND',",
      "  requireStack: []",
      "}",
      "",
      "Node.js v20.19.0"
    ]
    assert.include(shown(node), "Error: Cannot find module '/srv/server.js'")
    const java = ["Exception in thread \"main\" java.lang.Error: no key", ...Array(12).fill("\tat a.B.main(B.java:12)")]
    assert.deepStrictEqual(shown(java), ["Exception in thread \"main\" java.lang.Error: no key"])
    const python = ["Traceback (most recent call last):", "  File \"s.py\", line 1, in <module>", "KeyError: 'API_KEY'"]
    assert.deepStrictEqual(shown(python), python)
    assert.deepStrictEqual(shown(["  at least one argument is required"]), ["  at least one argument is required"])
  })

  it("is text without escape sequences, control characters and earlier states of a progress bar", () => {
    assert.deepStrictEqual(shown(["\u001b[31mred\u001b[0m \u001b]8;;https://x\u0007link\u001b]8;;\u0007"]), [
      "red link"
    ])
    assert.deepStrictEqual(shown(["10 %\r20 %\rfailed at 20 %\r"]), ["failed at 20 %"])
    assert.deepStrictEqual(shown(["n\u0000u\u0000l\u0000", "\u202eevil\u202c", "\tTab"]), ["nul", "evil", "  Tab"])
    fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      for (const line of shown([Buffer.from(bytes).toString("utf8").replaceAll("\n", " ")])) {
        assert.notMatch(line, /[\p{Cc}\p{Cf}]/u)
      }
    }))
  })

  it("has no secret of its environment, also of several lines, in colours or before the place where a line is cut", () => {
    const lines = [
      "token hush-hush",
      "hush\u001b[1m-hush",
      ...key.split("\n"),
      JSON.stringify(env),
      `${"x".repeat(295)}hush-hush`
    ]
    const text = shown(lines).join("\n")
    for (const part of ["hush", "MIIE", "hkiG", "PRIVATE"]) assert.notInclude(text, part)
    assert.include(text, "token [redacted]")
  })

  it("has at most ten lines and 2,000 characters, the last ones", () => {
    const lines = Array.from({ length: 200 }, (_, at) => `line ${at}`)
    assert.deepStrictEqual(shown(lines), lines.slice(-10))
    const long = shown(lines.map((line) => `${line} ${"x".repeat(1_000)}`))
    assert.isAtMost(long.join("\n").length, 2_000)
    assert.include(long.at(-1), "line 199")
  })
})
