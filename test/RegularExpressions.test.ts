import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseSync, Visitor } from "oxc-parser"
import { analyse } from "scslre"

const root = fileURLToPath(new URL("..", import.meta.url))

interface Found {
  readonly file: string
  readonly pattern: string
  readonly flags: string
}

const listed = async (folder: string): Promise<ReadonlyArray<string>> =>
  (await readdir(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && !entry.parentPath.includes("node_modules"))
    .map((entry) => join(entry.parentPath, entry.name))

/** Every regular expression that is written as a literal in the code, and the files that build others at run time. */
const expressionsOf = (file: string, text: string) => {
  const literals: Array<Found> = []
  const built: Array<string> = []
  const { errors, program } = parseSync(file, text)
  assert.deepStrictEqual(errors, [])
  new Visitor({
    Literal: (node) => {
      if ("regex" in node) literals.push({ file, ...node.regex })
    },
    CallExpression: ({ callee }) => void (callee.type === "Identifier" && callee.name === "RegExp" && built.push(file)),
    NewExpression: ({ callee }) => void (callee.type === "Identifier" && callee.name === "RegExp" && built.push(file))
  }).visit(program)
  return { literals, built }
}

/** What makes an expression take more than linear time: two repetitions that compete, or one retried at each start. */
const faultsOf = ({ file, flags, pattern }: Found): ReadonlyArray<string> =>
  analyse({ source: pattern, flags }, { assumeRejectingSuffix: false }).reports.map(({ type }) =>
    `${file.slice(root.length)}: /${pattern}/${flags} takes more than linear time (${type})`
  )

it.effect("no regular expression takes more than linear time on any text", () =>
  Effect.gen(function*() {
    const files = yield* Effect.promise(async () => [...await listed("src"), ...await listed("packages")])
    const found = yield* Effect.forEach(files, (file) =>
      Effect.map(Effect.promise(() => readFile(file, "utf8")), (text) => expressionsOf(file, text)), { concurrency: 8 })
    const literals = found.flatMap((each) =>
      each.literals
    )
    assert.isAbove(literals.length, 100, "the expressions of the code were found")
    assert.deepStrictEqual(literals.flatMap(faultsOf), [])
    // Nothing checks these, so each was checked by hand.
    assert.deepStrictEqual(found.flatMap(({ built }) => built.map((file) => file.slice(root.length))).toSorted(), [
      "packages/cli/src/CommandLine.ts",
      "packages/cli/src/Help.ts",
      "packages/domain/src/Mailbox.ts",
      ...Array.from({ length: 3 }, () => "packages/domain/src/QuoteMarks.ts"),
      "packages/domain/src/Text.ts",
      "src/Http/Routes.ts",
      ...Array.from({ length: 6 }, () => "src/Intake/Chat/TimeWords.ts"),
      "src/Intake/Chat/TimedRequest.ts",
      ...Array.from({ length: 4 }, () => "src/Intake/Schedule/ClockTimes.ts"),
      "src/Intake/Schedule/Recurrence.ts",
      ...Array.from({ length: 6 }, () => "src/Intake/Schedule/RecurrencePhrases.ts"),
      ...Array.from({ length: 2 }, () => "src/Model/CallAsText.ts"),
      ...Array.from({ length: 2 }, () => "src/Model/Complaint.ts"),
      ...Array.from({ length: 3 }, () => "src/Model/RequestOption.ts"),
      ...Array.from({ length: 3 }, () => "src/Model/Thinking.ts"),
      "src/Skill/ArgumentsCheck.ts",
      "src/ToolServer/SchemaKeywords.ts"
    ])
  }))

it("expressions of the kinds that must not be written are told apart", () => {
  const isSlow = (expression: RegExp) =>
    faultsOf({ file: "", pattern: expression.source, flags: expression.flags }).length > 0
  for (const slow of [/^\s*use\s+(\w+)\s*(.*?)\s*$/, /^\s*-\s+(.*\S)\s*$/, /\/+$/, /^(?:a+)+$/]) {
    assert.isTrue(isSlow(slow))
  }
  for (const fast of [/^use\s+(\w+)/, /(?<!\/)\/+$/, /\s+/g, /^a+$/]) assert.isFalse(isSlow(fast))
})
