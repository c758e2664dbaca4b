import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"

const root = resolve(import.meta.dirname, "../..")
const staticImport = /^(?:import|export)\s+(?!type\b)(?:[^"']*?\sfrom\s+)?"([^"]+)"/gm

/** The packages that the modules import at once, they and what they import of ours. */
const packagesOf = (files: ReadonlyArray<string>): ReadonlySet<string> => {
  const packages = new Set<string>()
  const seen = new Set<string>()
  const queue = [...files]
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (seen.has(file)) continue
    seen.add(file)
    for (const [, name = ""] of readFileSync(file, "utf8").matchAll(staticImport)) {
      const imported = resolve(dirname(file), name)
      if (name.startsWith(".") && existsSync(imported)) queue.push(imported)
      else packages.add(name.split("/").slice(0, name.startsWith("@") ? 2 : 1).join("/"))
    }
  }
  return packages
}

/** Packages that only some configurations or requests need, and a module that needs each. */
const lazy: Readonly<Record<string, string>> = {
  "@effect/ai-anthropic": "Model/AnthropicModel.ts",
  "@slack/web-api": "Chat/Slack/SlackWebApi.ts",
  nodemailer: "Wire/Smtp.ts",
  imapflow: "Wire/ImapClient.ts",
  "postal-mime": "Wire/MailParser.ts",
  "html-to-text": "Wire/MailHtml.ts",
  "email-reply-parser": "Intake/Mail/OwnWords.ts",
  docx: "File/Documents/MarkdownToDocx.ts",
  mammoth: "File/Documents/Word.ts",
  unpdf: "File/Documents/Pdf.ts",
  "@modelcontextprotocol/client": "ToolServer/McpClient.ts",
  "@modelcontextprotocol/sdk": "Mcp/ProtocolServer.ts"
}

describe("A role loads, as it starts,", () => {
  const started = packagesOf([join(root, "src/main.ts")])

  it("the packages of every configuration", () => {
    assert.isTrue(started.has("@effect/platform-node"))
  })

  it.each(Object.entries(lazy))("not %s", (name, module) => {
    assert.isFalse(started.has(name))
    assert.isTrue(packagesOf([join(root, "src", module)]).has(name))
  })

  it("not file-type", () => assert.isFalse(started.has("file-type")))
})
