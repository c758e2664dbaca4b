import { SqlClient } from "@effect/sql/SqlClient"
import { ToolServerState } from "@troupe/domain/ToolServer"
import type { WorkHealth } from "@troupe/domain/Unattended"
import { Context, Effect, Either, Layer, Record, Schema, type Stream } from "effect"
import { unattendedColumns, UnattendedRow } from "../Delivery/WorkHealth.ts"
import { rowsOf } from "../Runtime/Database/Query.ts"
import { makeAnnounced, Signals } from "../Runtime/Database/Signals.ts"
import { Sealed, Sealing } from "../Runtime/Sealing.ts"
import { maskedEntry } from "./MaskedSecrets.ts"
import type { ServerTool } from "./ServerTool.ts"
import { Digests, digestsText, Listed, type ListedTools, listedTools, usableOf } from "./ToolReview.ts"
import {
  definitionWith,
  offerOf,
  type Secrets,
  secretsOf,
  type StoredServer,
  type ToolServer,
  withSecrets
} from "./ToolServer.ts"
import { hasReferences } from "./VariableReferences.ts"

/** Version 0: nothing was ever configured. */
export interface Configuration {
  readonly version: number
  readonly servers: ReadonlyArray<StoredServer>
}

const States = Schema.parseJson(Schema.Array(ToolServerState))
const statesText = Schema.encodeSync(States)

/** The recent state of the servers of one process that runs tasks. */
const ServersReport = Schema.Struct({ version: Schema.Number, servers: States })
export type ServersReport = typeof ServersReport.Type

export class ToolServerRepo extends Context.Tag("troupe/ToolServer/ToolServerRepo")<ToolServerRepo, {
  readonly version: Effect.Effect<number>
  readonly configuration: Effect.Effect<Configuration>
  /**
   * Replaces the configuration, and succeeds with its version. The tools of a server that is new or changed are accepted as it
   * lists them next; held tools of the others stay held.
   */
  readonly store: (servers: ReadonlyArray<ToolServer>) => Effect.Effect<number>
  /** Accepts those of the definitions in the last list that have these digests, and succeeds with the new version of the configuration. */
  readonly accept: (server: string, digests: Readonly<Record<string, string>>) => Effect.Effect<number>
  /** The last list of each server, with what agents may use of it. */
  readonly listed: Effect.Effect<ReadonlyArray<ListedTools>>
  /** What agents may use of a server's last list; nothing before it was connected for the first time. */
  readonly usable: (server: string) => Effect.Effect<ReadonlyArray<ServerTool>>
  readonly seed: (servers: ReadonlyArray<ToolServer>) => Effect.Effect<void>
  readonly stored: Stream.Stream<void>
  readonly report: (process: string, report: ServersReport) => Effect.Effect<void>
  readonly retract: (process: string) => Effect.Effect<void>
  readonly reports: Effect.Effect<ReadonlyArray<ServersReport>>
  /** What the last look at unattended work has found, by the name of the server. */
  readonly health: Effect.Effect<ReadonlyMap<string, WorkHealth>>
}>() {
  static readonly layer: Layer.Layer<ToolServerRepo, never, SqlClient | Sealing | Signals> = Layer.effect(
    this,
    Effect.gen(function*() {
      const sql = yield* SqlClient
      const sealing = yield* Sealing
      const signals = yield* Signals
      const sealAll = (servers: ReadonlyArray<ToolServer>) =>
        serversText(Record.fromIterableWith(servers, (server) => [server.name, seal(server, sealing)]))
      const announced = yield* makeAnnounced("troupe_tool_servers")
      return ToolServerRepo.of({
        version: Effect.map(
          versions(sql`select version::float8 as version from tool_server_config where single`),
          ([row]) => row?.version ?? 0
        ),
        configuration: Effect.map(
          configurations(sql`select version::float8 as version, servers from tool_server_config where single`),
          ([{ servers, version } = { servers: {}, version: 0 }]) => ({
            version,
            servers: Object.entries(servers)
              .map(([name, server]) => open(name, server, sealing))
              .toSorted((one, other) => (one.name < other.name ? -1 : 1))
          })
        ),
        store: (servers) =>
          Effect.gen(function*() {
            const [before] = yield* configurations(
              sql`select version::float8 as version, servers from tool_server_config where single for update`
            )
            const unchanged = unchangedOf(
              servers,
              Object.entries(before?.servers ?? {}).map(([name, server]) => open(name, server, sealing))
            )
            yield* sql`delete from tool_server_authorizations a where not exists (
  select from json_to_recordset(${placesText(servers)}::json) as s(name text, url text)
  where s.name = a.server and coalesce(s.url, a.url) = a.url
)`
            yield* sql`delete from tool_server_pins where server <> all(${unchanged}::text[])`
            return yield* versions(
              sql`insert into tool_server_config (version, servers) values (1, ${sealAll(servers)})
on conflict (single) do update
  set version = tool_server_config.version + 1, servers = excluded.servers
returning version::float8 as version`
            )
          }).pipe(sql.withTransaction, Effect.orDie, announced, Effect.map(([row]) => row?.version ?? 0)),
        accept: (server, digests) =>
          Effect.gen(function*() {
            const [pinned] = yield* pins(
              sql`select server, accepted, listed from tool_server_pins where server = ${server} for update`
            )
            if (pinned !== undefined) {
              const looked = pinned.listed.filter(({ digest, name }) => digests[name] === digest)
              const accepted = new Map([
                ...pinned.accepted,
                ...looked.map(({ digest, name }) => [name, digest] as const)
              ])
              yield* sql`update tool_server_pins
set accepted = ${digestsText(accepted)}, notification_count = 0 where server = ${server}`
            }
            // With a new version, every process reads the tools again.
            return yield* versions(
              sql`update tool_server_config set version = version + 1 where single returning version::float8 as version`
            )
          }).pipe(sql.withTransaction, Effect.orDie, announced, Effect.map(([row]) => row?.version ?? 0)),
        listed: Effect.map(
          pins(sql`select server, accepted, listed from tool_server_pins order by server`),
          listedTools
        ),
        usable: (server) =>
          Effect.map(
            pins(sql`select server, accepted, listed from tool_server_pins where server = ${server}`),
            (rows) => rows.flatMap(usableOf)
          ),
        seed: (servers) =>
          Effect.asVoid(announced(Effect.orDie(
            sql`insert into tool_server_config (version, servers) values (1, ${sealAll(servers)})
on conflict (single) do nothing`
          ))),
        stored: signals.receive("troupe_tool_servers"),
        report: (process, { servers, version }) =>
          Effect.asVoid(Effect.orDie(
            sql`with removed as (
  delete from tool_server_reports where reported_at < now() - interval '1 hour' and process <> ${process}::uuid
)
insert into tool_server_reports (process, version, servers, reported_at)
values (${process}::uuid, ${version}, ${statesText(servers)}, now())
on conflict (process) do update
  set version = excluded.version, servers = excluded.servers, reported_at = excluded.reported_at`
          )),
        retract: (process) =>
          Effect.orDie(Effect.asVoid(sql`delete from tool_server_reports where process = ${process}::uuid`)),
        health: Effect.map(
          healths(sql.unsafe(`select ${unattendedColumns} from unattended h where h.kind = 'tool_server'`)),
          (rows) => new Map(rows.map(({ health, id }) => [id, health]))
        ),
        reports: reports(
          sql`select version::float8 as version, servers from tool_server_reports
where reported_at > now() - ${reportLifetime}::interval order by process`
        )
      })
    })
  )
}

const healths = rowsOf(UnattendedRow)

/** Three times as long as the interval between two reports. */
const reportLifetime = "15 seconds"

const Stored = definitionWith(Sealed)
type Stored = typeof Stored.Type

const Servers = Schema.parseJson(Schema.Record({ key: Schema.String, value: Stored }))

const serversText = Schema.encodeSync(Servers)

const pins = rowsOf(Schema.Struct({ server: Schema.String, accepted: Digests, listed: Listed }))
const versions = rowsOf(Schema.Struct({ version: Schema.Number }))
const configurations = rowsOf(Schema.Struct({ version: Schema.Number, servers: Servers }))
const reports = rowsOf(ServersReport)

/** Where the tokens of each server may be sent; null: it follows from variables. */
const placesText = (servers: ReadonlyArray<ToolServer>): string =>
  JSON.stringify(servers.flatMap((server) =>
    server.transport === "stdio"
      ? []
      : [{ name: server.name, url: server.variables !== "none" && hasReferences(server.url) ? null : server.url }]
  ))

const placeOf = (server: string, name: string): string => `tool server\0${server}\0${name}`

/** The names of the servers that list the same tools as before. */
const unchangedOf = (
  servers: ReadonlyArray<ToolServer>,
  before: ReadonlyArray<StoredServer>
): ReadonlyArray<string> => {
  const offers = new Map(
    before.flatMap(({ name, server }) => Either.isRight(server) ? [[name, offerOf(server.right)] as const] : [])
  )
  return servers.filter((server) => offers.get(server.name) === offerOf(server)).map(({ name }) => name)
}

const seal = (server: ToolServer, sealing: Sealing["Type"]): Stored => {
  const { name, ...rest } = server
  return withSecrets(rest, Record.map(secretsOf(server), (value, key) => sealing.seal(value, placeOf(name, key))))
}

const open = (name: string, stored: Stored, sealing: Sealing["Type"]): StoredServer => {
  const secrets: Either.Either<Secrets, "unreadable"> = Either.all(
    Record.map(secretsOf(stored), (value, key) => sealing.open(value, placeOf(name, key)))
  )
  const server = Either.map(secrets, (opened): ToolServer => ({ name, ...withSecrets(stored, opened) }))
  return { name, transport: stored.transport, disabled: stored.disabled, entry: maskedEntry(stored), server }
}
