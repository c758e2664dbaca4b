import { CurrentUser } from "@troupe/api/Authentication"
import type { AcceptedTools, ToolServersReport, ToolServersRequest } from "@troupe/api/ToolServersApi"
import { selfHostedCaller } from "@troupe/domain/Caller"
import { plural } from "@troupe/domain/Text"
import {
  ToolServerNotFound,
  type ToolServersInvalid,
  type ToolServerState,
  type ToolServerTool
} from "@troupe/domain/ToolServer"
import { unseenHealth, type WorkHealth } from "@troupe/domain/Unattended"
import { Context, type Duration, Effect, Layer, Option, Schedule } from "effect"
import { asService } from "../Runtime/Database/Isolation.ts"
import { Authorizations } from "./Authorizations.ts"
import { keepsReferences, withKeptSecrets } from "./MaskedSecrets.ts"
import { type ServerRules, toolServersOf } from "./ServerConfig.ts"
import type { StoredServer } from "./ToolServer.ts"
import { type Configuration, type ServersReport, ToolServerRepo } from "./ToolServerRepo.ts"
import { warningsOf } from "./UnknownFields.ts"

export class ToolServerSettings extends Context.Tag("troupe/ToolServer/ToolServerSettings")<ToolServerSettings, {
  readonly status: Effect.Effect<ToolServersReport>
  /** Stores the configuration; succeeds with the state of the servers when they are connected, or at the time-out. */
  readonly configure: (request: ToolServersRequest) => Effect.Effect<ToolServersReport, ToolServersInvalid>
  readonly clear: Effect.Effect<ToolServersReport>
  /** The configuration with its secrets masked, as `configure` takes it. */
  readonly configuration: Effect.Effect<ToolServersRequest>
  /** The tools that a server listed last, in whichever process. */
  readonly toolsOf: (server: string) => Effect.Effect<ReadonlyArray<ToolServerTool>, ToolServerNotFound>
  readonly accept: (
    server: string,
    tools: AcceptedTools["tools"]
  ) => Effect.Effect<ToolServersReport, ToolServerNotFound>
}>() {
  static readonly layer = (options: {
    readonly rules: ServerRules
    readonly timeout?: Duration.DurationInput
  }): Layer.Layer<ToolServerSettings, never, Authorizations | ToolServerRepo> =>
    Layer.effect(
      this,
      Effect.gen(function*() {
        const repo = yield* ToolServerRepo
        // Every member may see the state of the servers, which is all that is reported of the configuration.
        const readOf = (configuration: Configuration) =>
          Effect.map(Effect.all({ reports: repo.reports, health: repo.health }), (of) => ({ configuration, ...of }))
        const read = asService(Effect.flatMap(repo.configuration, readOf))
        const authorizations = yield* Authorizations
        const withConnections = (report: ToolServersReport) =>
          Effect.gen(function*() {
            const caller = Option.getOrElse(yield* Effect.serviceOption(CurrentUser), () => selfHostedCaller)
            return connectedReport(report, yield* authorizations.connections(caller.id))
          })
        const applied = (version: number) =>
          read.pipe(
            Effect.filterOrFail((snapshot) => isSettled(snapshot, version), () => "connecting" as const),
            Effect.retry(Schedule.spaced("100 millis")),
            Effect.timeout(options.timeout ?? "8 seconds"),
            Effect.orElse(() => read),
            Effect.map(withHealth),
            Effect.flatMap(withConnections)
          )
        const existing = (name: string) =>
          Effect.filterOrFail(
            asService(repo.configuration),
            ({ servers }) => servers.some((server) => server.name === name),
            () => new ToolServerNotFound({ name })
          )
        return ToolServerSettings.of({
          status: Effect.flatMap(asService(repo.configuration), (configuration) =>
            configuration.servers.length === 0
              ? Effect.succeed(withHealth({ configuration, reports: [], health: new Map() }))
              : asService(readOf(configuration)).pipe(Effect.map(withHealth), Effect.flatMap(withConnections))),
          configuration: Effect.map(repo.configuration, ({ servers }) => ({
            mcpServers: Object.fromEntries(servers.map(({ entry, name }) => [name, entry]))
          })),
          toolsOf: (server) =>
            Effect.zipRight(existing(server), asService(repo.listed)).pipe(
              Effect.map((all) => all.find((one) => one.server === server)?.tools ?? [])
            ),
          accept: (server, tools) =>
            Effect.zipRight(existing(server), repo.accept(server, tools)).pipe(Effect.flatMap(applied)),
          configure: (request) =>
            repo.configuration.pipe(
              Effect.flatMap(({ servers }) =>
                Effect.flatMap(withKeptSecrets(request, servers), (complete) =>
                  toolServersOf(complete, options.rules, (name, entry) =>
                    !options.rules.isHosted || keepsReferences(
                      request.mcpServers[name] ?? entry,
                      servers.find((known) => known.name === name)
                    )))
              ),
              Effect.flatMap(repo.store),
              Effect.flatMap(applied),
              Effect.map((report) =>
                withWarnings(report, warningsOf(request))
              )
            ),
          clear: Effect.flatMap(repo.store([]), applied)
        })
      })
    )
}

/** With the sign-in of everybody or, where each person signs in, that of the caller. */
const connectedReport = (
  report: ToolServersReport,
  connections: Effect.Effect.Success<ReturnType<Authorizations["Type"]["connections"]>>
): ToolServersReport => {
  const servers = report.servers.map((server) => {
    const found = connections.find(({ key }) => key.server === server.name && (key.user !== null) === server.per_user)
    const connection = found?.connection ?? null
    const isMissing = server.per_user && server.status === "connected" && connection?.needs_sign_in !== false
    return { ...server, connection, status: isMissing ? "needs_sign_in" as const : server.status }
  })
  return { ...report, connected_servers: servers.filter(({ status }) => status === "connected").length, servers }
}

const withWarnings = (
  report: ToolServersReport,
  given: ReadonlyMap<string, ReadonlyArray<string>>
): ToolServersReport => ({
  ...report,
  servers: report.servers.map((server) => ({
    ...server,
    warnings: [...given.get(server.name) ?? [], ...server.warnings]
  }))
})

interface Snapshot {
  readonly configuration: Configuration
  readonly reports: ReadonlyArray<ServersReport>
}

/** Whether every running process, and at least one, has applied the configuration and no server is connecting. */
const isSettled = (
  { configuration: { servers, version }, reports }: Snapshot,
  since: number
): boolean => {
  // There is a newer configuration, which this request does not wait for.
  if (version > since) return true
  if (servers.every(({ disabled }) => disabled) && reports.length === 0) return true
  return reports.length > 0 &&
    reports.every((report) => report.version >= since && report.servers.every(({ status }) => status !== "connecting"))
}

const withHealth = (
  { health, ...snapshot }: Snapshot & { readonly health: ReadonlyMap<string, WorkHealth> }
): ToolServersReport => {
  const report = reportOf(snapshot)
  return {
    ...report,
    servers: report.servers.map((server) => ({ ...server, health: health.get(server.name) ?? unseenHealth }))
  }
}

/** The state of the configured servers over all processes: a server that failed in one of them counts as failed. */
export const reportOf = ({ configuration: { servers, version }, reports }: Snapshot): ToolServersReport => {
  const current = reports.filter((report) => report.version === version)
  const all = servers.map((server) => stateOf(server, current))
  const count = (status: ToolServerState["status"]) => all.filter((state) => state.status === status).length
  return {
    total_servers: all.length,
    connected_servers: count("connected"),
    failed_servers: count("failed"),
    disabled_servers: count("disabled"),
    total_tools: all.reduce((sum, state) => sum + state.tool_count, 0),
    servers: all
  }
}

export const unconnected = (
  { entry, name, transport }: StoredServer,
  status: ToolServerState["status"],
  error: string | null
): ToolServerState => ({
  name,
  transport,
  status,
  error,
  tool_count: 0,
  tools: [],
  tools_off: [],
  warnings: [],
  connected_at: null,
  restarts: 0,
  last_error: null,
  health: unseenHealth,
  per_user: entry.per_user === true,
  connection: null
})

const stateOf = (server: StoredServer, reports: ReadonlyArray<ServersReport>): ToolServerState => {
  if (server.disabled) return unconnected(server, "disabled", null)
  const states = reports.flatMap((report) => report.servers.filter(({ name }) => name === server.name))
  return {
    ...jointState(server, states, reports.length > 0),
    restarts: Math.max(0, ...states.map(({ restarts }) => restarts)),
    last_error:
      states.flatMap(({ last_error }) => last_error ?? []).toSorted((one, other) => one.at < other.at ? 1 : -1)[0]
        ?? null
  }
}

const jointState = (
  server: StoredServer,
  states: ReadonlyArray<ToolServerState>,
  isReported: boolean
): ToolServerState => {
  const failed = states.filter(({ status }) => status === "failed")
  const [first] = failed
  if (first !== undefined) {
    return failed.length === states.length
      ? first
      : {
        ...first,
        error: `On ${failed.length} of ${plural(states.length, "worker")}: ${first.error ?? "it does not work"}`
      }
  }
  const unready = states.find(({ status }) => status !== "connected")
  if (unready !== undefined) return unready
  const [connected] = states
  if (connected !== undefined) {
    // A worker whose server connected earlier may not have noticed the change yet.
    const off = new Map(states.flatMap(({ tools_off }) => tools_off.map((tool) => [tool.name, tool] as const)))
    return { ...connected, tools_off: [...off.values()] }
  }
  const unreported = "No worker has reported on it yet. If none is running, start one: npm start -- worker."
  return unconnected(server, "connecting", isReported ? null : unreported)
}
