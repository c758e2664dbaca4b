import { Command, FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { documentText } from "../../../src/File/Documents/Extraction.ts"
import { docxOf } from "../../../src/File/Documents/MarkdownToDocx.ts"
import { need } from "../../support/Need.ts"

const libreOffice = need("LibreOffice (soffice)", spawnSync("soffice", ["--version"]).error === undefined)

const markdown = `# Plan

Some **bold**, *italic*, ~~struck~~ text and \`code\`.

1. first
2. second
   1. nested
3. third

Between.

1. anew

| Name | Amount |
|:-----|-------:|
| Tea  |   4.50 |

> quoted

\`\`\`
let x
\`\`\`

![a cat](http://127.0.0.1:1/cat.png)
`

/** What a reader of the printed page sees, in order. */
const printed = [
  "Plan",
  "Some bold, italic, struck text and code.",
  "1. first",
  "2. second",
  "a. nested",
  "3. third",
  "Between.",
  "1. anew",
  "Name Amount",
  "Tea 4.50",
  "quoted",
  "let x",
  "[Image: a cat]"
]

describe("LibreOffice", () => {
  it.scopedLive.skipIf(libreOffice.isMissing)(
    libreOffice.named("prints a generated Word document as intended"),
    () =>
      Effect.gen(function*() {
        const files = yield* FileSystem.FileSystem
        const folder = yield* files.makeTempDirectoryScoped()
        const at = (name: string) => join(folder, name)
        yield* files.writeFile(at("plan.docx"), yield* docxOf(markdown))
        const status = yield* Command.make(
          "soffice",
          `-env:UserInstallation=file://${at("profile")}`,
          "--headless",
          "--convert-to",
          "pdf",
          "--outdir",
          folder,
          at("plan.docx")
        ).pipe(Command.exitCode, Effect.timeout("100 seconds"))
        assert.strictEqual(status, 0)
        const text = yield* documentText("plan.pdf", yield* files.readFile(at("plan.pdf")))
        const lines = text.split("\n").map((line) => line.trim().replaceAll(/\s+/g, " ")).filter((line) => line !== "")
        assert.deepStrictEqual(lines, ["[Page 1 of 1]", ...printed])
      }).pipe(Effect.provide(NodeContext.layer)),
    120_000
  )
})
