import { ToolServerState, type ToolServerTransport } from "@troupe/domain/ToolServer"
import { Context, Effect, Either, Layer, PubSub, Record, Schema, Stream } from "effect"
import { type Prepared, PreparedStatements } from "../Runtime/PreparedStatements.ts"
import { Sealed, Sealing } from "../Runtime/Sealing.ts"
import type { Secrets, ToolServer } from "./ToolServer.ts"

/** A server as it is stored. What SECRETS_KEY does not open can't be used, only told about. */
export interface StoredServer {
  readonly name: string
  readonly transport: ToolServerTransport
  readonly disabled: boolean
  readonly server: Either.Either<ToolServer, "unreadable">
}

/** The configuration of one moment. Version 0: there never was one. */
export interface Configuration {
  readonly version: number
  readonly servers: ReadonlyArray<StoredServer>
}

/** What one process that runs tasks says of its servers, not longer ago than some seconds. */
export interface Report {
  readonly version: number
  readonly servers: ReadonlyArray<ToolServerState>
}

/** Where the configuration of the tool servers is kept, and what the processes that run them say. */
export class ToolServerRepo extends Context.Tag("troupe/ToolServer/ToolServerRepo")<ToolServerRepo, {
  readonly version: Effect.Effect<number>
  readonly configuration: Effect.Effect<Configuration>
  /** Replaces the configuration and answers its version. Whoever configures accepts the tools as they are. */
  readonly store: (servers: ReadonlyArray<ToolServer>) => Effect.Effect<number>
  /** Stores them unless there ever was a configuration. */
  readonly seed: (servers: ReadonlyArray<ToolServer>) => Effect.Effect<void>
  /** Emits when this process has stored a configuration. */
  readonly stored: Stream.Stream<void>
  readonly report: (process: string, report: Report) => Effect.Effect<void>
  readonly retract: (process: string) => Effect.Effect<void>
  readonly reports: Effect.Effect<ReadonlyArray<Report>>
}>() {
  static readonly layer: Layer.Layer<ToolServerRepo, never, PreparedStatements | Sealing> = Layer.effect(
    this,
    Effect.gen(function*() {
      const database = yield* PreparedStatements
      const sealing = yield* Sealing
      const hub = yield* PubSub.sliding<void>(1)
      const rows = <A, I>(schema: Schema.Schema<A, I>, statement: Prepared, values: ReadonlyArray<unknown> = []) =>
        database.execute(statement, values).pipe(
          Effect.flatMap(Schema.decodeUnknown(Schema.Array(schema))),
          Effect.orDie
        )
      const write = (statement: Prepared, servers: ReadonlyArray<ToolServer>) =>
        encodeServers(Record.fromIterableWith(servers, (server) => [server.name, sealed(server, sealing)])).pipe(
          Effect.orDie,
          Effect.flatMap((text) => rows(VersionRow, statement, [text])),
          Effect.map(([row]) => row?.version ?? 0),
          Effect.zipLeft(PubSub.publish(hub, undefined))
        )
      return ToolServerRepo.of({
        version: Effect.map(rows(VersionRow, version), ([row]) => row?.version ?? 0),
        configuration: Effect.map(
          rows(ConfigurationRow, configuration),
          ([row]) =>
            row === undefined ? { version: 0, servers: [] } : {
              version: row.version,
              servers: Object.entries(row.servers)
                .map(([name, server]) => opened(name, server, sealing))
                .toSorted((one, other) => (one.name < other.name ? -1 : 1))
            }
        ),
        store: (servers) => write(store, servers),
        seed: (servers) => Effect.asVoid(write(seed, servers)),
        stored: Stream.fromPubSub(hub),
        report: (process, { servers, version }) =>
          encodeStates(servers).pipe(
            Effect.flatMap((text) => database.execute(report, [process, version, text])),
            Effect.orDie,
            Effect.asVoid
          ),
        retract: (process) => Effect.asVoid(Effect.orDie(database.execute(retract, [process]))),
        reports: rows(ReportRow, reports)
      })
    })
  )
}

const SealedSecrets = Schema.Record({ key: Schema.String, value: Sealed })
const common = {
  disabled: Schema.Boolean,
  timeoutSeconds: Schema.NullOr(Schema.Number),
  allowedTools: Schema.NullOr(Schema.Array(Schema.String))
}
const Stored = Schema.Union(
  Schema.Struct({
    transport: Schema.Literal("stdio"),
    command: Schema.String,
    args: Schema.Array(Schema.String),
    cwd: Schema.NullOr(Schema.String),
    env: SealedSecrets,
    ...common
  }),
  Schema.Struct({ transport: Schema.Literal("http", "sse"), url: Schema.String, headers: SealedSecrets, ...common })
)
type Stored = typeof Stored.Type

const Servers = Schema.parseJson(Schema.Record({ key: Schema.String, value: Stored }))
const encodeServers = Schema.encode(Servers)
const States = Schema.parseJson(Schema.Array(ToolServerState))
const encodeStates = Schema.encode(States)

const Version = Schema.Struct({ version: Schema.Number })
const VersionRow = Version
const ConfigurationRow = Schema.Struct({ ...Version.fields, servers: Servers })
const ReportRow = Schema.Struct({ ...Version.fields, servers: States })

const placeOf = (server: string, name: string): string => `tool server\0${server}\0${name}`

const sealed = (
  { allowedTools, disabled, name, target, timeoutSeconds }: ToolServer,
  sealing: Sealing["Type"]
): Stored => {
  const all = (secrets: Secrets) => Record.map(secrets, (value, key) => sealing.seal(value, placeOf(name, key)))
  const rest = { disabled, timeoutSeconds, allowedTools }
  return target.transport === "stdio"
    ? { ...target, ...rest, env: all(target.env) }
    : { ...target, ...rest, headers: all(target.headers) }
}

const opened = (name: string, stored: Stored, sealing: Sealing["Type"]): StoredServer => {
  const { allowedTools, disabled, timeoutSeconds, transport } = stored
  const all = (secrets: typeof SealedSecrets.Type) =>
    Either.all(Record.map(secrets, (value, key) => sealing.open(value, placeOf(name, key))))
  const target: Either.Either<ToolServer["target"], "unreadable"> = stored.transport === "stdio"
    ? Either.map(all(stored.env), (env): ToolServer["target"] => {
      const { args, command, cwd, transport } = stored
      return { transport, command, args, cwd, env }
    })
    : Either.map(all(stored.headers), (headers): ToolServer["target"] => {
      const { transport, url } = stored
      return { transport, url, headers }
    })
  return {
    name,
    transport,
    disabled,
    server: Either.map(target, (target) => ({ name, target, disabled, timeoutSeconds, allowedTools }))
  }
}

const version: Prepared = {
  name: "tool_servers_version",
  text: "select version::float8 as version from tool_server_config where single"
}

const configuration: Prepared = {
  name: "tool_servers_configuration",
  text: "select version::float8 as version, servers from tool_server_config where single"
}

const store: Prepared = {
  name: "tool_servers_store",
  text: `with forgotten as (delete from tool_definitions)
insert into tool_server_config (version, servers, changed_at) values (1, $1, now())
on conflict (single) do update
  set version = tool_server_config.version + 1, servers = excluded.servers, changed_at = excluded.changed_at
returning version::float8 as version`
}

const seed: Prepared = {
  name: "tool_servers_seed",
  text: `insert into tool_server_config (version, servers, changed_at) values (1, $1, now())
on conflict (single) do nothing returning version::float8 as version`
}

const report: Prepared = {
  name: "tool_servers_report",
  text: `with forgotten as (
  delete from tool_server_reports where reported_at < now() - interval '1 hour' and process <> $1::uuid
)
insert into tool_server_reports (process, version, servers, reported_at) values ($1::uuid, $2::bigint, $3, now())
on conflict (process) do update
  set version = excluded.version, servers = excluded.servers, reported_at = excluded.reported_at`
}

const retract: Prepared = {
  name: "tool_servers_retract",
  text: "delete from tool_server_reports where process = $1::uuid"
}

/** Three times as long as the pause between two reports. */
const reports: Prepared = {
  name: "tool_servers_reports",
  text: `select version::float8 as version, servers from tool_server_reports
where reported_at > now() - interval '15 seconds' order by process`
}
