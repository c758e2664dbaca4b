import { NodeHttpClient } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import * as TroupeClient from "@troupe/client/TroupeClient"
import { Effect, Layer } from "effect"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { env } from "node:process"
import { makeDeployment, makePorts, processTest, shortLeases } from "../support/Deployment.ts"
import { start, until } from "../support/Processes.ts"
import { entry } from "../support/ToolServerFixture.ts"

const use = (tool: string, args: object) => `use ${tool} ${JSON.stringify(args)}`

const work = [
  // Each subagent is still at work when the process is killed.
  ...["one", "two", "three"].map((part) =>
    use("dispatch_subagent", { task_description: `${use("wait", { seconds: 4 })}\n\nPart ${part}` })
  ),
  "",
  use("ask_human", { question: "Go on?" }),
  "",
  use("read_document", { path: "notes.md" }),
  use("run_skill_script", { skill_name: "greeting", script: "greet.sh", args: ["Ada"] }),
  use("srv__count", {}),
  "",
  "All done."
].join("\n")

const skill = "---\nname: greeting\ndescription: Greets people by name\n---\n\nRun greet.sh.\n"

const givenFiles = (storage: string, skills: string) =>
  Effect.promise(async () => {
    const scripts = join(skills, "greeting", "scripts")
    await mkdir(scripts, { recursive: true })
    await writeFile(join(skills, "greeting", "SKILL.md"), skill)
    await writeFile(join(scripts, "greet.sh"), "#!/bin/sh\necho \"Hello $1\"\n")
    await mkdir(join(storage, "default"), { recursive: true })
    await writeFile(join(storage, "default", "notes.md"), "The notes say so.\n")
  })

processTest(
  "A task that sends out three subagents, asks, reads, runs a script and calls a tool server outlives a kill at each pause",
  function*() {
    const deployment = yield* makeDeployment()
    const ports = yield* makePorts
    const skills = join(deployment.storage, "..", "skills")
    yield* givenFiles(deployment.storage, skills)
    const environment = {
      ...deployment.environment,
      ...ports.environment,
      ...shortLeases,
      PATH: env["PATH"] ?? "",
      SKILLS_PATH: skills
    }
    const http = yield* Layer.build(NodeHttpClient.layerUndici)
    const client = yield* Effect.provide(TroupeClient.make({ baseUrl: `http://127.0.0.1:${ports.http}` }), http)
    const first = yield* start("all", environment)
    yield* client.toolServers.configure({ payload: { mcpServers: { srv: entry("plain") } } })
    const { task_id } = yield* client.tasks.chat({ headers: {}, payload: { message: work } })
    const look = client.tasks.find({ path: { task_id }, urlParams: {} })
    const becomes = (status: string) =>
      until(`the task is ${status}`, Effect.map(look, (task) => task.status === status), "60 seconds")

    yield* becomes("waiting_subagents")
    yield* first.signal("SIGKILL")
    yield* first.ended
    const second = yield* start("all", environment)
    yield* becomes("waiting_input")
    yield* second.signal("SIGKILL")
    yield* second.ended
    yield* start("all", environment)
    assert.strictEqual((yield* look).question, "Go on?")
    yield* client.tasks.humanResponse({ payload: { task_id, response: "Yes, go on" } })
    yield* becomes("completed")

    const subtasks = yield* client.tasks.subtasks({ path: { task_id }, urlParams: {} })
    assert.deepStrictEqual(subtasks.map(({ status }) => status), ["completed", "completed", "completed"])
    const said = yield* client.tasks.messages({ path: { task_id }, urlParams: {} })
    const results = said.flatMap((message) => message.role === "tool" ? [message.content] : [])
    assert.strictEqual(results.length, 7)
    for (const result of results.slice(0, 3)) assert.match(result, /^The general subagent is done[^]*wait: ok/)
    assert.strictEqual(results[3], "Yes, go on")
    assert.include(results[4], "The notes say so.")
    assert.include(results[5], "Hello Ada")
    assert.match(results[6] ?? "", /^\d+ \d+/)
    const feed = yield* client.notifications.list({ path: { user_id: "default" }, urlParams: {} })
    assert.deepStrictEqual(feed.map(({ kind }) => kind), ["completion", "question"])
  }
)
