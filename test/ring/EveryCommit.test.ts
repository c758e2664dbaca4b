import { assert, it } from "@effect/vitest"
import { Console, Effect, Fiber, Queue, Random } from "effect"
import { env } from "node:process"
import { freshDatabase, query } from "../support/Database.ts"
import { makeDeployment, makePorts, shortLeases } from "../support/Deployment.ts"
import { httpToolServer } from "../support/HttpToolServer.ts"
import { makeMailServer, password } from "../support/MailServer.ts"
import { start } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"
import { makeCommitProxy, noticeWrites } from "./CommitProxy.ts"
import { ended, found, scripts, type Stage } from "./Scripts.ts"

/** `npm run test:every-commit` kills after each commit (or of the scripts named here); else the seed chooses two. */
const given = env["EVERY_COMMIT"] ?? ""
const isWhole = given !== ""
const seed = env["PROPERTY_SEED"] ?? "1"

const tools = {
  result: { tools: [{ name: "add", inputSchema: { type: "object", properties: { key: { type: "string" } } } }] }
}

/** A built service over a proxy that counts commits, a tool server and a mail server. */
const makeWorld = Effect.gen(function*() {
  const database = yield* freshDatabase
  yield* query(database, noticeWrites)
  const proxy = yield* makeCommitProxy(database)
  const { environment, storage } = yield* makeDeployment(proxy.url)
  const ports = yield* makePorts
  const notes = new Map<string, number>()
  const toolServer = yield* httpToolServer({
    list: () => tools,
    call: (_, args) => {
      const { key } = args as { readonly key: string }
      notes.set(key, (notes.get(key) ?? 0) + 1)
      return { result: { content: [{ type: "text", text: `Added ${key}` }] } }
    }
  })
  const mailServer = yield* makeMailServer({ hideSTARTTLS: true, allowInsecureAuth: true })
  const mails = new Map<string, number>()
  yield* Effect.forkScoped(Effect.forever(Effect.map(Queue.take(mailServer.arrivals), ({ to }) => {
    for (const one of to) mails.set(one, (mails.get(one) ?? 0) + 1)
  })))
  const process = start("all", {
    ...environment,
    ...ports.environment,
    ...shortLeases,
    TASK_SUSPECT_PAUSE: 0.1,
    SMTP_HOST: "127.0.0.1",
    SMTP_PORT: mailServer.port,
    SMTP_SECURE: "false",
    SMTP_USER: "troupe",
    SMTP_PASSWORD: password,
    SMTP_FROM: "Troupe <troupe@example.org>"
  })
  let current = yield* process
  const client = taskClient(ports.http)
  const { status } = yield* client.send("POST", "/api/mcp/configure", {
    mcpServers: { notes: { type: "http", url: toolServer.url("http") } }
  })
  assert.strictEqual(status, 200)
  const stage: Stage = { client, url: database, storage, notes, mails }

  /** Plays the script, and ends the process after so many of its commits; the next one goes on. */
  const play = (name: string, key: string, after: number) =>
    Effect.gen(function*() {
      const script = scripts[name] ?? assert.fail(`There is no script ${name}`)
      const effects = script.effects(key)
      let isKilled = false
      const victim = current
      const next = yield* Effect.fork(
        Effect.zipRight(victim.ended, Effect.map(process, (started) => current = started))
      )
      proxy.arm(after, () => {
        isKilled = true
        Effect.runSync(victim.signal("SIGKILL"))
      })
      yield* script.play(stage, key)
      yield* ended(stage, key, effects)
      yield* isKilled ? Fiber.join(next) : Fiber.interrupt(next)
      return { ...(yield* found(stage, key, effects)), commits: proxy.count(), isKilled }
    })
  return { play }
})

it.scopedLive(
  "A process that is killed after any commit of a script loses nothing and does nothing twice",
  () =>
    Effect.gen(function*() {
      const { play } = yield* makeWorld
      const all = Object.keys(scripts)
      const shuffled = [...(yield* Random.shuffle(all))]
      const names = isWhole ? all.filter((name) => given === "all" || given.includes(name)) : shuffled.slice(0, 2)
      const counts = { points: 0, kills: 0, uncertain: 0 }
      for (const name of names) {
        const { commits, notifications } = yield* play(name, `${name}-000`, Infinity)
        assert.isAbove(commits, 3, name)
        const points = isWhole
          ? Array.from({ length: commits }, (_, index) => index + 1)
          : [yield* Random.nextIntBetween(1, commits + 1)]
        for (const after of points) {
          const key = `${name}-${String(after).padStart(3, "0")}`
          const played = yield* play(name, key, after)
          assert.strictEqual(played.notifications, notifications, `${key}: everybody is told once`)
          counts.points += 1
          counts.kills += played.isKilled ? 1 : 0
          counts.uncertain += played.uncertain
        }
        yield* Effect.when(Console.log(`${name}: ${commits} commits`, counts), () => isWhole)
      }
      assert.isAbove(counts.kills, 0)
      yield* Effect.when(Console.log(`Seed ${seed}: nothing lost, nothing doubled`, counts), () => isWhole)
    }).pipe(Effect.withRandom(Random.make(seed))),
  isWhole ? 3_600_000 : 180_000
)
