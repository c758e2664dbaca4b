import { fetch } from "@effect/platform-node/Undici"
import { assert } from "@effect/vitest"
import { Context, Effect, Layer, Logger, LogLevel, Redacted, type Scope } from "effect"
import { join } from "node:path"
import * as roles from "../../src/apps/all.ts"
import { Settings } from "../../src/Runtime/Settings/Settings.ts"
import { layerSettings } from "../Http/TestServer.ts"
import * as Database from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { freePort } from "../support/Processes.ts"

type Json = Readonly<Record<string, unknown>>

export interface Answer {
  readonly status: number
  readonly text: string
  readonly json: Json
  readonly location: string | null
}

/** The whole service in this process, as a person and the browser of that person see it. */
export interface SignedService {
  readonly base: string
  readonly url: Redacted.Redacted
  readonly send: (method: string, path: string, body?: object) => Effect.Effect<Answer>
  readonly configure: (mcpServers: object) => Effect.Effect<Answer>
  /** The state of a server, as soon as it has this status. */
  readonly server: (name: string, status?: string) => Effect.Effect<Json>
  /** The page of the service to which the authorization server sends the browser. */
  readonly begin: (name: string, query?: string) => Effect.Effect<string>
  /** What the browser gets there. */
  readonly back: (address: string) => Effect.Effect<Answer>
  readonly connect: (name: string) => Effect.Effect<Answer>
  readonly asks: (message: string) => Effect.Effect<string>
  /** The task, as soon as it has this status. */
  readonly task: (id: string, status: string) => Effect.Effect<Json>
  readonly query: <Row extends object>(
    text: string,
    values?: ReadonlyArray<unknown>
  ) => Effect.Effect<ReadonlyArray<Row>>
}

export const isRecord = (value: unknown): value is Json => typeof value === "object" && value !== null

const browsed = async (address: string, init: NonNullable<Parameters<typeof fetch>[1]>): Promise<Answer> => {
  const response = await fetch(address, { redirect: "manual", ...init })
  const text = await response.text()
  const isJson = response.headers.get("content-type")?.includes("json") === true && text !== ""
  const json: unknown = isJson ? JSON.parse(text) : {}
  return { status: response.status, text, json: isRecord(json) ? json : {}, location: response.headers.get("location") }
}

const fetched = (address: string, init: NonNullable<Parameters<typeof fetch>[1]> = {}): Effect.Effect<Answer> =>
  Effect.promise(() => browsed(address, init))

/** `url`: the database of another process; null: a new one. */
export const startService = (
  given: Readonly<Record<string, string>> = {},
  url: Redacted.Redacted | null = null
): Effect.Effect<SignedService, never, Scope.Scope> =>
  Effect.gen(function*() {
    const folder = yield* freshFolder
    const database = url ?? (yield* Database.freshDatabase)
    const [port, runnerPort] = yield* Effect.all([freePort, freePort])
    const settings = Context.get(
      yield* Layer.build(layerSettings({
        PORT: String(port),
        RUNNER_PORT: String(runnerPort),
        DATABASE_URL: Redacted.value(database),
        DATA_DIR: folder,
        LOCAL_STORAGE_PATH: join(folder, "files"),
        SKILLS_PATH: join(folder, "skills"),
        SECRETS_KEY: "k".repeat(32),
        POLICY: "quiet",
        MEMORY_AUTO_SAVE: "false",
        AGENT_MAX_SKILLS: "0",
        ...given
      })),
      Settings
    )
    yield* Layer.build(Layer.orDie(roles.layer(settings)))
    const base = `http://127.0.0.1:${port}`
    const send: SignedService["send"] = (method, path, body) =>
      fetched(`${base}${path}`, {
        method,
        ...(body === undefined
          ? {}
          : { body: JSON.stringify(body), headers: { "content-type": "application/json" } })
      })
    const begin: SignedService["begin"] = (name, query = "") =>
      Effect.gen(function*() {
        const started = yield* send("POST", `/api/mcp/servers/${name}/connect${query}`)
        assert.strictEqual(started.status, 200, started.text)
        const page = yield* fetched(String(started.json["url"]))
        assert.strictEqual(page.status, 302, page.text)
        return page.location ?? ""
      })
    const serversOf = ({ json }: Answer): ReadonlyArray<Json> => {
      const servers = json["servers"]
      return Array.isArray(servers) ? servers.filter(isRecord) : []
    }
    const service: SignedService = {
      base,
      url: database,
      send,
      begin,
      back: (address) => fetched(address),
      connect: (name) => Effect.flatMap(begin(name), fetched),
      configure: (mcpServers) => send("POST", "/api/mcp/configure", { mcpServers }),
      server: (name, status) =>
        Effect.map(
          eventually(
            Effect.map(
              send("GET", "/api/mcp/status"),
              (answer) => serversOf(answer).find((one) => one["name"] === name)
            ),
            (found) => found !== undefined && (status === undefined || found["status"] === status)
          ),
          (found) => found ?? {}
        ),
      asks: (message) =>
        Effect.map(send("POST", "/chat", { message }), ({ json, status, text }) => {
          assert.strictEqual(status, 202, text)
          return String(json["task_id"])
        }),
      task: (id, status) =>
        Effect.map(
          eventually(send("GET", `/task/${id}`), ({ json }) => json["status"] === status),
          ({ json }) => json
        ),
      query: <Row extends object>(text: string, values: ReadonlyArray<unknown> = []) =>
        Database.query<Row>(database, text, values)
    }
    return service
  }).pipe(Effect.provide(Logger.minimumLogLevel(LogLevel.None)))
