import { NodeContext } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { examples } from "@troupe/cli/Examples"
import { commandNames, parse, run } from "@troupe/cli/Program"
import { Screen } from "@troupe/cli/Screen"
import { Console, Effect, Layer } from "effect"
import { collectingStreams } from "../support/CommandLine.ts"

const help = (...words: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const lines: Array<string> = []
    const { streams } = collectingStreams()
    const log = (...parts: ReadonlyArray<unknown>) => Effect.sync(() => void lines.push(parts.join(" ")))
    yield* run(["node", "troupe", ...words]).pipe(
      Effect.provide(Layer.mergeAll(
        NodeContext.layer,
        Screen.layer(streams),
        Console.setConsole({ ...yield* Effect.console, log, error: log })
      ))
    )
    return lines.join("\n")
  })

/** The words of an example, as a shell splits them. */
const split = (text: string) =>
  Array.from(text.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, plain]) => quoted ?? plain ?? "")

it.effect("Each command has help in our words, every line with a meaning, and an example that can be run", () =>
  Effect.gen(function*() {
    const paths: Array<string> = []
    for (const name of commandNames) {
      paths.push(name)
      const text = yield* help(name, "--help")
      for (const [, inner] of text.matchAll(new RegExp(`^ {2}${name} ([a-z]+)  `, "gm"))) paths.push(`${name} ${inner}`)
    }
    assert.includeMembers(paths, ["schedules change", "notifications read", "outbox retry", "team invite"])
    assert.deepStrictEqual(Object.keys(examples).toSorted(), paths.toSorted())
    for (const path of paths) {
      const words = path.split(" ")
      const text = yield* help(...words, "--help")
      assert.include(text, `\n\nUsage: troupe ${path} [options]`)
      assert.notMatch(text, /user-defined|is optional|One of the following|be repeated at least|\bredacted\b/)
      const lines = text.split("\n").filter((line) => /^ {2}(?:-|<|\[)/.test(line))
      for (const line of lines) assert.match(line, / {2}\S.* {2,}\S/, `${path}: every line has a meaning`)
      assert.include(text, `\nExample:\n  troupe ${path} ${examples[path]}`)
      assert.strictEqual(yield* help("help", ...words), text)
    }
  }))

it.effect("The parser understands each example", () =>
  Effect.forEach(Object.entries(examples), ([path, words]) => {
    const given = [...path.split(" "), ...split(words)].filter((word) => word !== "report.pdf" || !path.endsWith("put"))
    const checked = path === "files put" ? [...given, "package.json"] : given
    return Effect.map(
      parse(checked),
      (directive) =>
        assert.deepStrictEqual(directive._tag === "UserDefined" ? directive.leftover : [directive._tag], [], path)
    )
  }).pipe(Effect.provide(NodeContext.layer)))
