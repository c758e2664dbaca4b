import { NodeHttpClient } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import * as TroupeClient from "@troupe/client/TroupeClient"
import { defaultUser } from "@troupe/domain/Ids"
import { ToolServersInvalid } from "@troupe/domain/ToolServer"
import { Array as Arrays, Effect, Layer } from "effect"
import { existsSync } from "node:fs"
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { confinements, here, pathWithout, withWord } from "../Skill/scripts.ts"
import { type Deployment, makeDeployment, makePorts, shortLeases } from "../support/Deployment.ts"
import { linux } from "../support/Need.ts"
import { type ServiceProcess, start, until } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"
import { entry, filesystem, isAlive } from "../support/ToolServerFixture.ts"

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

/** Its children: one in its group, and one in a session of its own. Both have the word in their command line. */
const staying = `stay="trap '' TERM; while :; do sleep 0.5; done # $1"
sh -c "$stay" &
setsid sh -c "$stay" &
echo x > "$TMPDIR/left"
printf %s "$TMPDIR" > "$1"
while :; do sleep 0.5; done
`

const givenFiles = ({ storage }: Deployment, skills: string, temporary: string) =>
  Effect.promise(async () => {
    for (
      const [name, file, script] of [["greeting", "greet.sh", "echo \"Hello $1\"\n"], ["staying", "stay.sh", staying]]
    ) {
      const scripts = join(skills, name ?? "", "scripts")
      await mkdir(scripts, { recursive: true })
      await writeFile(
        join(scripts, "..", "SKILL.md"),
        `---\nname: ${name}\ndescription: Has ${file}\n---\n\nRun ${file}.\n`
      )
      // Where the service is root, its scripts' system users need a copy.
      await writeFile(join(scripts, file ?? ""), script ?? "", { mode: 0o600 })
    }
    await mkdir(temporary)
    await mkdir(join(storage, "default"), { recursive: true })
    await writeFile(join(storage, "default", "notes.md"), "The notes say so.\n")
  })

type Client = Effect.Effect.Success<ReturnType<typeof TroupeClient.make>>

/** Tasks of a client, by the words of their message. */
const tasksOf = (client: Client) => {
  const submitted = (message: string) =>
    Effect.map(client.tasks.chat({ headers: {}, payload: { message } }), ({ task_id }) => task_id)
  const look = (task_id: string) => client.tasks.find({ path: { task_id }, urlParams: {} })
  const becomes = (id: string, status: string) =>
    until(`the task is ${status}`, Effect.map(look(id), (task) => task.status === status), "60 seconds")
  const results = (task_id: string) =>
    Effect.map(
      client.tasks.messages({ path: { task_id }, urlParams: {} }),
      (said) => said.flatMap((message) => message.role === "tool" ? [message.content] : [])
    )
  /** Waits for the end; a person allows what asks: what destroys, and what reaches outside after texts from outside. */
  const allowed = (id: string) =>
    until(
      "the task is completed",
      Effect.gen(function*() {
        const { approvals, status } = yield* look(id)
        const open = approvals.filter((row) => row.status === "open")
        const decisions = open.map(({ tool_call_id }) => ({ tool_call_id, decision: "approve" as const }))
        if (Arrays.isNonEmptyReadonlyArray(decisions)) {
          yield* client.approvals.decide({ path: { task_id: id }, payload: { decisions } })
        }
        return status === "completed"
      }),
      "60 seconds"
    )
  /** The answer of its first tool call, once the task is completed. */
  const answered = (message: string) =>
    Effect.gen(function*() {
      const id = yield* submitted(message)
      yield* allowed(id)
      return (yield* results(id))[0] ?? ""
    })
  return { submitted, look, becomes, results, allowed, answered }
}

/** Configures a server of the ecosystem, then wrong ones, then one that ignores signals and has a daemon; yields their ids. */
const configureToolServers = (client: Client, port: number, folder: string) =>
  Effect.gen(function*() {
    const { answered } = tasksOf(client)
    const report = yield* client.toolServers.configure({
      payload: {
        mcpServers: { fs: { command: process.execPath, args: [filesystem, folder], env: { TOKEN: "hush-hush" } } }
      }
    })
    assert.strictEqual(report.connected_servers, 1, JSON.stringify(report))
    assert.notInclude(JSON.stringify(report), "hush")
    const file = join(folder, "hello.txt")
    yield* answered(use("fs__write_file", { path: file, content: "Hello" }))
    assert.strictEqual(yield* Effect.promise(() => readFile(file, "utf8")), "Hello")
    assert.strictEqual((yield* client.system.health()).checks.tool_servers.status, "ok")
    assert.strictEqual((yield* client.toolServers.legacyStatus()).status, "delegated")
    const wrong = yield* Effect.flip(
      client.toolServers.configure({ payload: { mcpServers: { fs: { url: "ftp://example.org" } } } })
    )
    assert.instanceOf(wrong, ToolServersInvalid)
    assert.deepStrictEqual(wrong.mistakes.map(({ path }) => path), ["mcpServers.fs.url"])
    const secret = yield* taskClient(port).send("POST", "/api/mcp/configure", {
      mcpServers: { fs: { url: "https://example.org", headers: { authorization: { bearer: "hush-hush" } } } }
    })
    assert.strictEqual(secret.status, 400)
    assert.include(JSON.stringify(secret.body), "mcpServers.fs.headers")
    assert.notInclude(JSON.stringify(secret.body), "hush")
    const foreign = yield* taskClient(port).send("POST", "/api/mcp/configure", {
      mcpServers: { fs: { serverUrl: "https://example.org" } }
    })
    assert.strictEqual(foreign.status, 400)
    assert.include(JSON.stringify(foreign.body), "mcpServers.fs.serverUrl")
    assert.strictEqual((yield* client.toolServers.status()).connected_servers, 1)

    yield* client.toolServers.configure({ payload: { mcpServers: { srv: entry() } } })
    yield* answered("use srv__redefine {}")
    const off = Effect.map(client.toolServers.status(), ({ servers: [srv] }) => srv?.tools_off ?? [])
    yield* until("the changed tool is off", Effect.map(off, ([tool]) => tool?.name === "echo"))
    const notifications = yield* client.notifications.list({ path: { user_id: defaultUser }, urlParams: {} })
    const reminder = notifications.find(({ kind }) => kind === "reminder")
    assert.deepInclude(reminder, { task_id: null, title: "Tools of srv are off", read: false })
    const cleared = yield* client.toolServers.clear()
    assert.deepInclude(cleared, { total_servers: 0, connected_servers: 0, total_tools: 0, servers: [] })

    yield* client.toolServers.configure({ payload: { mcpServers: { srv: entry("stubborn") } } })
    const server = Number(/(\d+) \d+/.exec(yield* answered("use srv__count {}"))?.[1])
    const daemon = Number(yield* answered("use srv__daemonize {}"))
    assert.isTrue(isAlive(server) && isAlive(daemon))
    return [server, daemon]
  })

/** Kills the service after that, while a script runs: it leaves nothing behind, confined or not. */
const killDuringScript = <A, E>(
  service: ServiceProcess,
  client: Client,
  { storage }: Deployment,
  temporary: string,
  isWalled: boolean,
  before: Effect.Effect<A, E>
) =>
  Effect.gen(function*() {
    const word = `stays-${service.pid}`
    yield* tasksOf(client).submitted(
      use("run_skill_script", { skill_name: "staying", script: "stay.sh", args: [word] })
    )
    const begun = join(storage, "default", word)
    yield* until("the script has begun", Effect.sync(() => existsSync(begun) && withWord(word).length >= 3))
    const used = yield* Effect.promise(() => readFile(begun, "utf8"))
    assert.strictEqual(used === "/tmp", isWalled)
    const left = Effect.map(
      Effect.promise(() => readdir(temporary)),
      (names) => names.some((one) => /script/.test(one))
    )
    assert.isTrue(yield* left)
    const result = yield* before
    yield* service.signal("SIGKILL")
    yield* service.ended
    yield* until("no process of the script is left", Effect.sync(() => withWord(word).length === 0))
    yield* until("no temporary file is left", Effect.map(left, (isLeft) => !isLeft))
    return result
  })

it.scopedLive.skipIf(linux.isMissing)(
  linux.named(
    "A task that sends out three subagents, asks, reads, runs a script and calls a tool server outlives a kill at each "
      + "pause; no process of a script or tool server outlives one, and a call that it cut off is uncertain"
  ),
  () =>
    Effect.gen(function*() {
      const deployment = yield* makeDeployment()
      const ports = yield* makePorts
      const folder = join(deployment.storage, "..")
      const [skills, temporary, log] = [join(folder, "skills"), join(folder, "temporary"), join(folder, "log.txt")]
      yield* givenFiles(deployment, skills, temporary)
      const environment = {
        ...deployment.environment,
        ...ports.environment,
        ...shortLeases,
        PATH: here,
        TMPDIR: temporary,
        SKILLS_PATH: skills
      }
      const http = yield* Layer.build(NodeHttpClient.layerUndici)
      const client = yield* Effect.provide(TroupeClient.make({ baseUrl: `http://127.0.0.1:${ports.http}` }), http)
      const { allowed, becomes, look, results, submitted } = tasksOf(client)
      const first = yield* start("all", { ...environment, PATH: pathWithout(join(folder, "bin")) })
      const processes = yield* configureToolServers(client, ports.http, folder)
      const call = yield* submitted(use("srv__append", { path: log, text: "once ", millis: 60_000 }))
      const text = Effect.promise(() => readFile(log, "utf8").catch(() => ""))
      yield* until("the call runs", Effect.map(text, (text) => text === "once "))

      const dispatched = Effect.tap(submitted(work), (id) => becomes(id, "waiting_subagents"))
      const task = yield* killDuringScript(first, client, deployment, temporary, false, dispatched)
      yield* until("the tool server and its daemon were ended", Effect.sync(() => !processes.some(isAlive)))
      const second = yield* start("all", environment)
      yield* becomes(call, "completed")
      assert.include((yield* results(call))[0], "Error: uncertain")
      assert.strictEqual(yield* text, "once ")
      const isWalled = confinements.some((one) => one !== null)
      yield* killDuringScript(second, client, deployment, temporary, isWalled, becomes(task, "waiting_input"))
      yield* start("all", environment)
      assert.strictEqual((yield* look(task)).question, "Go on?")
      yield* client.tasks.humanResponse({ payload: { task_id: task, response: "Yes, go on" } })
      yield* allowed(task)

      const subtasks = yield* client.tasks.subtasks({ path: { task_id: task }, urlParams: {} })
      assert.deepStrictEqual(subtasks.map(({ status }) => status), ["completed", "completed", "completed"])
      const said = yield* results(task)
      assert.strictEqual(said.length, 7)
      for (const result of said.slice(0, 3)) assert.match(result, /^The general subagent is done[^]*wait: ok/)
      assert.strictEqual(said[3], "Yes, go on")
      assert.include(said[4], "The notes say so.")
      assert.include(said[5], "Hello Ada")
      assert.match(said[6] ?? "", /^\d+ \d+/)
      const feed = yield* client.notifications.list({ path: { user_id: "default" }, urlParams: {} })
      assert.deepStrictEqual(
        feed.filter(({ task_id }) => task_id === task).map(({ kind }) => kind),
        ["completion", "question"]
      )
    }),
  180_000
)
