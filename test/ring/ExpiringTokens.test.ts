import { fetch } from "@effect/platform-node/Undici"
import { assert, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Redacted, Scope } from "effect"
import { steps } from "../support/Audit.ts"
import { type AuthorizationServer, authorizationServer, protectedToolServer } from "../support/AuthorizationServer.ts"
import { query } from "../support/Database.ts"
import { allEnded, haveShards, makeDeployment, makePorts, shortLeases } from "../support/Deployment.ts"
import { type Environment, start, until } from "../support/Processes.ts"
import { type TaskClient, taskClient } from "../support/TaskClient.ts"

/** The life of an access token, in seconds. */
const life = 2
const pace = { calls: 5, pause: 1 }

interface Member {
  readonly name: string
  readonly address: string
  readonly client: TaskClient
  /** As a power cut does. */
  readonly kill: Effect.Effect<void>
  readonly restart: Effect.Effect<void>
}

/** Two processes that run tasks, and a tool server whose tokens expire all the time. */
class Service extends Context.Tag("troupe/test/ring/ExpiringTokens.test/Service")<Service, {
  readonly url: Redacted.Redacted
  readonly authority: AuthorizationServer
  /** Tasks that call the tool server again and again. */
  readonly submit: (prefix: string, count: number) => Effect.Effect<ReadonlyMap<string, string>, unknown>
  /** How often the tool server has taken each call. */
  readonly taken: ReadonlyMap<string, number>
  /** Kills the process whose refresh has arrived at the authorization server, and starts another in its place. */
  readonly killAtRefresh: Effect.Effect<void, unknown>
  /** Kills the process whose call was taken and has no result yet. */
  readonly killAtCall: (tasks: ReadonlyMap<string, string>) => Effect.Effect<void, unknown>
}>() {}

const use = (tool: string, args: object) => `use ${tool} ${JSON.stringify(args)}`

/** A call by the task and its turn. */
const callOf = (name: string, turn: number) => `${name}.${turn}`

const messageOf = (name: string) =>
  Array.from({ length: pace.calls }, (_, index) => use("srv__add", { key: callOf(name, 2 * index) }))
    .join(`\n\n${use("wait", { seconds: pace.pause })}\n\n`)

const makeMember = (name: string, settings: Environment, url: Redacted.Redacted) =>
  Effect.gen(function*() {
    const { address, environment, http } = yield* makePorts
    const database = new URL(Redacted.value(url))
    database.searchParams.set("application_name", `troupe-${name}`)
    const begin = start("all", { ...settings, ...environment, DATABASE_URL: database.href })
    const scope = yield* Effect.scope
    let current = yield* begin
    const member: Member = {
      name,
      address,
      client: taskClient(http),
      kill: Effect.suspend(() => Effect.zipRight(current.signal("SIGKILL"), current.ended)),
      restart: Scope.extend(begin, scope).pipe(
        Effect.map((started) => void (current = started)),
        Effect.orDie
      )
    }
    return { member, http }
  })

const service = Layer.scoped(
  Service,
  Effect.gen(function*() {
    const authority = yield* authorizationServer()
    authority.seconds = life
    const taken = new Map<string, number>()
    let onCall: ((key: string) => void) | null = null
    const tools = yield* protectedToolServer(authority, {
      list: () => ({
        result: { tools: [{ name: "add", inputSchema: { type: "object", properties: { key: { type: "string" } } } }] }
      }),
      call: (_, args) => {
        const { key } = args as { readonly key: string }
        taken.set(key, (taken.get(key) ?? 0) + 1)
        if (onCall === null) return { result: { content: [{ type: "text", text: `Added ${key}` }] } }
        onCall(key)
        onCall = null
        return "hang"
      }
    })
    const { environment, url } = yield* makeDeployment()
    const turns = 2 * pace.calls
    const settings = {
      ...environment,
      ...shortLeases,
      POLICY: "quiet",
      SECRETS_KEY: "k".repeat(32),
      AGENT_SOFT_ITERATIONS: turns + 2,
      AGENT_HARD_ITERATIONS: turns + 4
    }
    const made = yield* Effect.all(["one", "two"].map((name) => makeMember(name, settings, url)), { concurrency: 2 })
    const members = made.map(({ member }) => member)
    const [first] = made
    if (first === undefined) return assert.fail("there is no process")
    const { client } = first.member
    yield* haveShards(url, members.map(({ address }) => address))
    yield* client.send("POST", "/api/mcp/configure", { mcpServers: { srv: { url: tools.address } } })
    const { body } = yield* client.send("POST", "/api/mcp/servers/srv/connect")
    const page = yield* Effect.promise(() => fetch(new URL((body as { readonly url: string }).url)))
    assert.strictEqual(page.status, 200)
    yield* until(
      "both processes are connected",
      Effect.map(
        query(url, `select 1 from tool_server_reports where servers like '%"status":"connected"%'`),
        ({ length }) => length === 2
      )
    )

    const replace = ({ kill, restart }: Member, meanwhile: Effect.Effect<unknown> = Effect.void) =>
      kill.pipe(Effect.zipRight(meanwhile), Effect.zipRight(restart))
    const memberAt = (
      key: keyof Pick<Member, "address" | "name">,
      statement: string,
      values: ReadonlyArray<string> = []
    ) =>
      Effect.map(
        query<{ who: string }>(url, statement, values),
        ([row]) => members.find((member) => member[key] === row?.who) ?? assert.fail("no process does it")
      )

    return {
      url,
      authority,
      taken,
      submit: (prefix, count) =>
        Effect.map(
          Effect.forEach(Array.from({ length: count }, (_, index) => `${prefix}-${index}`), (name) =>
            Effect.map(client.submit(name, { message: messageOf(name) }), (id) => [name, id] as const), {
            concurrency: 8
          }),
          (entries) =>
            new Map(entries)
        ),
      killAtRefresh: Effect.gen(function*() {
        const [seen, gone] = yield* Effect.all([Deferred.make<void>(), Deferred.make<void>()])
        authority.atRefresh = () => {
          authority.atRefresh = null
          return Effect.as(Effect.zipRight(Deferred.succeed(seen, undefined), Deferred.await(gone)), false)
        }
        yield* Deferred.await(seen)
        const victim = yield* memberAt(
          "name",
          `select substr(application_name, 8) as who from pg_stat_activity where datname = current_database()
and state = 'idle in transaction' and query ilike '%tool_server_authorizations%for update%'`
        )
        yield* replace(victim, Deferred.succeed(gone, undefined))
      }),
      killAtCall: (tasks) =>
        Effect.gen(function*() {
          const seen = yield* Deferred.make<string>()
          onCall = (key) => Deferred.unsafeDone(seen, Effect.succeed(key))
          const key = yield* Deferred.await(seen)
          const task = tasks.get(key.replace(/\.\d+$/, "")) ?? ""
          yield* replace(yield* memberAt("address", "select runner as who from actors where task_id = $1", [task]))
        })
    }
  })
)

/** What the tool server has taken is what the tasks say, and nothing twice; answers how many calls were cut off. */
const checkCalls = (tasks: ReadonlyMap<string, string>) =>
  Effect.gen(function*() {
    const { taken, url } = yield* Service
    const journal = yield* steps(url)
    const wrong: Array<string> = []
    let uncertain = 0
    for (const [name, id] of tasks) {
      const results = journal.flatMap(({ body, task_id }) =>
        task_id === id && body.kind === "results" ? body.results.map(({ message }) => message) : []
      ).filter((message) => message.name === "srv__add")
      if (results.length !== pace.calls) wrong.push(`${name} has ${results.length} results`)
      for (const { content, tool_call_id } of results) {
        const key = callOf(name, Number(/^offline_(\d+)_/.exec(tool_call_id)?.[1]))
        const count = taken.get(key) ?? 0
        const isUncertain = content.startsWith("Error: uncertain")
        if (isUncertain) uncertain++
        if (count !== 1 && !(isUncertain && count === 0)) wrong.push(`${key} was taken ${count} times: ${content}`)
        if (!isUncertain && content !== `Added ${key}`) wrong.push(`${key}: ${content}`)
      }
    }
    assert.deepStrictEqual(wrong, [])
    return uncertain
  })

/** With the errors of those that failed. */
const statuses = (url: Redacted.Redacted) =>
  Effect.map(
    query<{ status: string }>(
      url,
      "select distinct concat_ws(': ', status, error) as status from actors order by status"
    ),
    (rows) => rows.map(({ status }) => status)
  )

const toldOf = (url: Redacted.Redacted) => query(url, "select 1 from notifications where title = 'srv needs a sign-in'")

const timeout = 180_000

layer(service, { excludeTestServices: true, timeout })("Tokens that expire all night", (it) => {
  it.scoped(
    "are refreshed while processes are killed: no task fails, no call is made twice, nobody has to sign in",
    () =>
      Effect.gen(function*() {
        const { authority, killAtCall, killAtRefresh, submit, url } = yield* Service
        const tasks = yield* submit("night", 14)
        yield* killAtRefresh
        yield* killAtCall(tasks)
        yield* allEnded(url, "100 seconds")
        assert.deepStrictEqual(yield* statuses(url), ["completed"])
        assert.lengthOf(yield* toldOf(url), 0)
        assert.strictEqual(authority.replayed(), 0, "no refresh token was used twice")
        const uncertain = yield* checkCalls(tasks)
        assert.isAbove(uncertain, 0, "a call was cut off")
      }),
    timeout
  )
})
