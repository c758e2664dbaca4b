import { assert, describe, it } from "@effect/vitest"
import { toolWarnings } from "../../../src/Agent/Definition/AgentTools.ts"
import { read } from "./agentFiles.ts"

describe("A file of another system", () => {
  it("loads as Claude Code's subagents are: tools as comma text, examples with colons, and fields of its own", () => {
    const { text, warnings } = read(`---
name: contract-reviewer
description: Use this agent when a contract needs a second look. Examples: <example>Context: A lease came in. user: "Is this fair?" assistant: "I'll review it."</example>
tools: Read, Grep, Bash(git log:*), mcp__ledger__find_entry
disallowedTools: Write, Edit
model: opus
color: purple
permissionMode: acceptEdits
maxTurns: 12
memory: project
skills: clauses, tone
---

You review contracts.
`)
    assert.deepInclude(text, {
      name: "contract-reviewer",
      tools: ["Read", "Grep", "Bash(git log:*)", "mcp__ledger__find_entry"],
      disallowed_tools: ["Write", "Edit"],
      model: "opus",
      max_iterations: 12,
      memory: "shared",
      skills: ["clauses", "tone"],
      instructions: "You review contracts."
    })
    assert.include(text.description, "user: \"Is this fair?\"")
    assert.isTrue(warnings.some((one) => one.startsWith("memory: ")), String(warnings))
    assert.deepStrictEqual(
      toolWarnings(text, ["read_file", "write_file", "ledger__find_entry"]).filter((one) => one.startsWith("tools")),
      [
        "tools: there is no tool Read here. Did you mean read_file?",
        "tools: there is no tool Grep here.",
        "tools: there is no tool Bash(git log:*) here."
      ]
    )
  })

  it("loads with examples on lines of their own, whose labels look like fields", () => {
    const { text } = read(`---
name: planner
description: Plans trips.

<example>
Context: A family wants to travel.
user: "Where to?"
assistant: "Let me plan."
</example>

<example>
user: "And back?"
</example>
model: inherit
---
Plan.`)
    assert.include(text.description, "Context: A family wants to travel.")
    assert.include(text.description, "And back?")
    assert.isNull(text.model)
  })

  it("has the default model by the words that others use for it", () => {
    for (const word of ["inherit", "Inherit", "default"]) {
      const { text, warnings } = read(`---\nname: planner\ndescription: Plans trips\nmodel: ${word}\n---\nPlan.`)
      assert.deepStrictEqual([text.model, warnings], [null, []])
    }
  })

  it("loads as opencode's agents are: a map of tools takes those away that are false", () => {
    const { text, warnings } = read(
      `---
description: Reviews, and changes nothing
mode: subagent
model: anthropic/some-model
temperature: 0.1
tools:
  write_file: false
  send_email: false
  read_file: true
permission:
  bash: deny
---
Review.`,
      "review"
    )
    assert.deepInclude(text, {
      name: "review",
      tools: null,
      disallowed_tools: ["write_file", "send_email"],
      temperature: 0.1,
      model: "anthropic/some-model"
    })
    assert.isTrue(warnings.some((one) => one.startsWith("permission: ")))
    assert.deepInclude(read("---\ndescription: x\ntools:\n  \"*\": false\n  read_file: true\n---\nx").text, {
      tools: ["read_file"]
    })
  })

  it("loads as GitHub's custom agents are: a display name, a list of tools with those of servers, and servers of its own", () => {
    const { text, aliases } = read(
      `---
name: Release Notes Writer
description: "Writes release notes: short, for users."
tools: ['read', 'search', 'tracker/*']
mcp-servers:
  tracker:
    type: local
    command: tracker-mcp
target: github-copilot
---
Write notes.`,
      "release-notes"
    )
    assert.strictEqual(text.name, "release-notes-writer")
    assert.deepStrictEqual(aliases, ["Release Notes Writer", "release-notes"])
    assert.deepStrictEqual(toolWarnings(text, ["tracker__list", "read_file"]), [
      "tools: there is no tool read here. Did you mean read_file?",
      "tools: there is no tool search here."
    ])
  })

  it("loads as Cursor's agents are: Windows line ends, a byte order mark, and switches", () => {
    const { text } = read(
      "\uFEFF---\r\nname: test-runner\r\ndescription: Runs tests. Use when: code changed\r\nmodel: fast\r\nreadonly: true\r\nis_background: false\r\n---\r\n\r\nRun the tests.\r\nThen report.\r\n"
    )
    assert.deepInclude(text, { name: "test-runner", instructions: "Run the tests.\nThen report.", model: "fast" })
    assert.strictEqual(text.description, "Runs tests. Use when: code changed")
  })
})

describe("A file of another system, which names a model, tools or itself otherwise,", () => {
  it("has the first model of a list", () => {
    const { text, warnings } = read(
      "---\ndescription: x\nmodel: ['Claude Sonnet 4.5 (copilot)', 'GPT-5 (copilot)']\n---\nx"
    )
    assert.strictEqual(text.model, "Claude Sonnet 4.5 (copilot)")
    assert.deepStrictEqual(warnings, ["model: of a list only the first is used"])
  })

  it("says which of its rules, servers and switches have no effect, and nothing of one that is off", () => {
    const warningsOf = (lines: string) =>
      read(`---\ndescription: x\n${lines}\n---\nx`).warnings.map((one) => one.split(":")[0])
    for (const name of ["readonly", "readOnly", "disable", "hooks", "mcpServers", "mcp-servers", "permissions"]) {
      assert.deepStrictEqual(warningsOf(`${name}: true`), [name])
      assert.deepStrictEqual(warningsOf(`${name}: false`), [])
    }
    assert.deepStrictEqual(warningsOf("permission:\n  \"*\": deny"), ["permission"])
    assert.deepStrictEqual(warningsOf("permissionMode: plan"), ["permissionMode"])
    assert.deepStrictEqual(warningsOf("permissionMode: default\ncolor: red"), [])
  })

  it("has the name of its file where its own is in another alphabet, in whole or in part", () => {
    for (const name of ["翻译", "XX-创意", "Отчёт 2", "v2-審查"]) {
      const { aliases, text } = read(`---\nname: ${name}\ndescription: x\n---\nx`, "writer")
      assert.deepStrictEqual([text.name, aliases[0]], ["writer", name])
    }
    const [one, other] = ["XX-创意", "XX-文案"].map((name) => read(`---\ndescription: x\n---\nx`, name).text.name)
    assert.match(one ?? "", /^xx-[0-9a-f]{8}$/)
    assert.notStrictEqual(one, other)
    assert.strictEqual(read("---\nname: Résumé Coach\ndescription: x\n---\nx").text.name, "resume-coach")
  })
})
