import { assert, describe, it } from "@effect/vitest"
import { AgentName } from "@troupe/domain/Agent"
import { Effect, Option } from "effect"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { join } from "node:path"
import { agentText, makePlace } from "./agents.ts"

const noAgent = "there is no AGENT.md; files of agents are read in the folder itself, not in folders of it"

const name = (text: string) => AgentName.make(text)
const draft = { name: name("sales"), description: "Sells.", instructions: "Sell." }

describe("The folders of agents", () => {
  it.scoped("have files and folders of one agent each, and an own agent replaces the built-in one of its name", () =>
    Effect.gen(function*() {
      const place = yield* makePlace
      place.put("builtin/alpha.md", agentText("Built in."))
      place.put("builtin/beta.md", agentText("Built in."))
      place.put("own/alpha/AGENT.md", agentText("Mine."))
      place.put("own/gamma.agent.md", agentText("Of a file."))
      place.put("own/notes.txt", "Not an agent")
      const { list } = yield* place.agents
      assert.deepStrictEqual((yield* list).map(({ description, name, source }) => [name, description, source]), [
        ["alpha", "Mine.", "folder"],
        ["beta", "Built in.", "built-in"],
        ["gamma", "Of a file.", "folder"]
      ])
    }))

  it.scoped("have no `.agent` or `.chatmode` of other systems in the name of a file without a name", () =>
    Effect.gen(function*() {
      const place = yield* makePlace
      place.put("own/planner.chatmode.md", agentText("Plans."))
      place.put("own/Release Notes.agent.md", agentText("Writes."))
      const { list } = yield* place.agents
      assert.deepStrictEqual((yield* list).map(({ name }) => name), [name("planner"), name("release-notes")])
    }))

  it.scoped("list broken files, links and a second agent of a name with path and reason", () =>
    Effect.gen(function*() {
      const place = yield* makePlace
      place.put("own/good.md", agentText("Good."))
      place.put("own/README.md", "# Agents")
      place.put("own/other.md", agentText("Also good.", "name: good\n"))
      place.put("own/codex.toml", "name = \"reviewer\"")
      place.put("own/notes.txt", "Nothing of agents.")
      place.put("own/large.md", agentText("Large.") + "x".repeat(140_000))
      fs.mkdirSync(join(place.folder, "empty"))
      fs.mkdirSync(join(place.folder, "folder.md"))
      fs.symlinkSync("/etc/passwd", join(place.folder, "link.md"))
      const { list, reload } = yield* place.agents
      assert.deepStrictEqual((yield* list).map(({ name }) => name), [name("good")])
      const { errors } = yield* reload
      assert.deepStrictEqual(
        errors.map(({ message, path }) => [path.slice(place.folder.length + 1), message]).sort(),
        [
          ["README.md", "it must begin with YAML front matter between two lines of ---"],
          ["codex.toml", "an agent is a Markdown file with front matter, and its name ends in .md"],
          ["empty", noAgent],
          ["folder.md", noAgent],
          ["large.md", "it is larger than 128 KB"],
          ["link.md", "it is a link, and links are not followed"],
          ["other.md", "the agent in \"good.md\" is named \"good\" too; rename one"]
        ]
      )
    }))

  it.scoped("are read up to a thousand agents", () =>
    Effect.gen(function*() {
      const place = yield* makePlace
      for (let i = 0; i < 1001; i++) place.put(`own/agent-${String(i).padStart(4, "0")}.md`, agentText("One of many."))
      const { reload } = yield* place.agents
      const { count, errors } = yield* reload
      assert.strictEqual(count, 1000)
      assert.deepStrictEqual(errors.map(({ message }) => message), ["only the first 1000 agents are read"])
    }))
})

describe("An agent", () => {
  it.scoped("has the first 12 hex digits of its file's SHA-256 as its revision, which changes with the file", () =>
    Effect.gen(function*() {
      const place = yield* makePlace
      const { find, reload } = yield* place.agents
      for (const content of [agentText("Grüße.").replaceAll("\n", "\r\n"), agentText("Other.")]) {
        place.put("own/hello.md", content)
        yield* reload
        const digest = createHash("sha256").update(content).digest("hex")
        assert.strictEqual((yield* find("hello")).revision, digest.slice(0, 12))
      }
    }))

  it.scoped("is found by its name, its written name and its file's, in any case; an unknown one names the nearest", () =>
    Effect.gen(function*() {
      const place = yield* makePlace
      place.put("own/tax_help.md", agentText("Helps.", "name: Tax Helper\n"))
      const { find } = yield* place.agents
      for (const given of ["tax-helper", "Tax Helper", "tax_help", "TAX-HELPER"]) {
        assert.strictEqual((yield* find(given)).name, name("tax-helper"), given)
      }
      assert.strictEqual(
        (yield* Effect.flip(find("tax-hepler"))).message,
        "There is no agent \"tax-hepler\". Did you mean tax-helper?"
      )
      assert.include((yield* Effect.flip(find("xyz"))).message, "The agents are: tax-helper.")
      yield* Effect.flip(find("../own/tax_help"))
    }))

  it.scoped("that claims what another one claims does not get it: the first by name does", () =>
    Effect.gen(function*() {
      const place = yield* makePlace
      place.put("own/b.md", agentText("B.", "channels: \"#sales, C07\"\nwebhooks: [payments]\n"))
      place.put("own/a.md", agentText("A.", "channels: Sales\nmailboxes: office@firm.example\n"))
      const { claimant } = yield* place.agents
      const of = (field: "channels" | "mailboxes" | "webhooks", ...names: ReadonlyArray<string>) =>
        Effect.map(claimant({ field, names }), (found) => Option.getOrNull(found)?.name ?? null)
      assert.strictEqual(yield* of("channels", "C01", "sales"), name("a"))
      assert.strictEqual(yield* of("channels", "C07", "other"), name("b"))
      assert.strictEqual(yield* of("webhooks", "payments"), name("b"))
      assert.strictEqual(yield* of("mailboxes", "Office@Firm.example"), name("a"))
      assert.isNull(yield* of("mailboxes", "sales"))
    }))
})

describe("A change", () => {
  it.scoped("creates a file, keeps unknown fields, copies a built-in agent, and brings it back when the copy goes", () =>
    Effect.gen(function*() {
      const place = yield* makePlace
      place.put("builtin/alpha.md", agentText("Built in.", "color: red\n"))
      const agents = yield* place.agents
      assert.deepInclude(yield* agents.create({ ...draft, tools: ["wait"], memory: "none" }), {
        source: "folder",
        tools: ["wait"],
        memory: "none",
        model: null
      })
      assert.strictEqual(
        place.read("own/sales.md"),
        "---\nname: sales\ndescription: Sells.\ntools:\n  - wait\nmemory: none\n---\n\nSell.\n"
      )
      assert.strictEqual((yield* Effect.flip(agents.create(draft)))._tag, "AgentNameTaken")
      const changed = yield* agents.update("alpha", { description: "Changed." })
      assert.deepInclude(changed, { source: "folder", description: "Changed." })
      assert.include(place.read("own/alpha.md"), "color: red")
      assert.strictEqual((yield* Effect.flip(agents.update("none", {})))._tag, "AgentNotFound")
      yield* agents.remove("alpha")
      assert.strictEqual((yield* agents.find("alpha")).source, "built-in")
      assert.strictEqual((yield* Effect.flip(agents.remove("alpha")))._tag, "AgentReadOnly")
      yield* agents.remove("sales")
      assert.strictEqual((yield* Effect.flip(agents.remove("sales")))._tag, "AgentNotFound")
      assert.deepStrictEqual(place.names("own"), [])
    }))

  it.scoped("reaches an agent in a folder of its own, and removes that folder", () =>
    Effect.gen(function*() {
      const place = yield* makePlace
      place.put("own/legal/AGENT.md", agentText("Law."))
      place.put("own/legal/notes.md", "kept beside it")
      const agents = yield* place.agents
      yield* agents.update("legal", { max_iterations: 7 })
      assert.include(place.read("own/legal/AGENT.md"), "max_iterations: 7")
      yield* agents.remove("legal")
      assert.deepStrictEqual(place.names("own"), [])
    }))

  it.scoped("deletes a broken file too, and nothing outside of the folder", () =>
    Effect.gen(function*() {
      const place = yield* makePlace
      place.put("own/broken.md", "no front matter")
      place.put("secret.md", "outside")
      const agents = yield* place.agents
      yield* agents.remove("broken")
      assert.deepStrictEqual(place.names("own"), [])
      assert.strictEqual((yield* Effect.flip(agents.remove("../secret")))._tag, "AgentNotFound")
      assert.strictEqual(place.read("secret.md"), "outside")
    }))
})

it.scoped("The agents that come with the service load without a warning", () =>
  Effect.gen(function*() {
    const place = yield* makePlace
    fs.cpSync(new URL("../../../src/Agent/BuiltIn", import.meta.url), place.builtIn, { recursive: true })
    const agents = yield* (yield* place.agents).list
    assert.deepStrictEqual(agents.map(({ name }): string => name), ["mail-triage", "researcher", "weekly-report"])
    assert.deepStrictEqual(agents.flatMap(({ warnings }) => warnings), [])
  }))
