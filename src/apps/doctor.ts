import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import { error, type Finding, ok } from "@troupe/domain/Finding"
import { Config, Effect, Option, Stream } from "effect"
import { join } from "node:path"
import { versions } from "node:process"
import { type Check, findings } from "../Doctor/Check.ts"
import { databaseCheck } from "../Doctor/DatabaseCheck.ts"
import { folderCheck, nodeCheck, scriptsCheck } from "../Doctor/MachineChecks.ts"
import { modelCheck } from "../Doctor/ModelCheck.ts"
import { type Address, portCheck } from "../Doctor/PortCheck.ts"
import { inboxCheck, webhookCheck } from "../Doctor/TrustChecks.ts"
import { Settings } from "../Runtime/Settings/Settings.ts"

type Files = FileSystem.FileSystem | Path.Path

const foldersOf = ({ agents, database, projects, skills, storage }: Settings["Type"]) => [
  { name: "data", path: database.dataDir, setting: "DATA_DIR" },
  { name: "files", path: storage.path, setting: "LOCAL_STORAGE_PATH" },
  { name: "projects", path: projects.path, setting: "PROJECTS_PATH" },
  { name: "custom skills", path: skills.path, setting: "SKILLS_PATH" },
  { name: "custom agents", path: agents.path, setting: "AGENTS_PATH" }
]

const addressesOf = ({ cluster, database, http, metrics }: Settings["Type"]): ReadonlyArray<Address> => [
  { name: "port", host: http.host, port: http.port, settings: { host: "HOST", port: "PORT" }, protocol: "http" },
  // Without a shared database there are no other workers to listen for.
  ...(Option.isNone(database.url) ? [] : [{
    name: "runner port",
    host: cluster.host,
    port: cluster.port,
    settings: { host: "RUNNER_HOST", port: "RUNNER_PORT" },
    protocol: "cluster" as const
  }]),
  ...Option.toArray(metrics.port).map((port) => ({
    name: "metrics port",
    host: http.host,
    port,
    settings: { host: "HOST", port: "METRICS_PORT" },
    protocol: "cluster" as const
  }))
]

const checksOf = (settings: Settings["Type"], path: string, callModel: boolean): ReadonlyArray<Check<Files>> => [
  databaseCheck({ ...settings.database, folder: join(settings.database.dataDir, "postgres") }),
  ...(callModel ? [modelCheck(settings.model)] : []),
  inboxCheck(settings.mail.inbox),
  webhookCheck(settings.webhooks),
  scriptsCheck({
    path,
    rules: {
      isHosted: settings.isHosted,
      allowUnconfined: settings.skills.allowUnconfinedScripts,
      network: settings.skills.scriptNetwork
    }
  }),
  folderCheck(foldersOf(settings)),
  portCheck(addressesOf(settings))
]

/** Checks the installation with the settings that the service would start with. It changes nothing. */
export const diagnose = (options: { readonly callModel: boolean }): Stream.Stream<Finding, never, Files> =>
  Stream.unwrap(Effect.gen(function*() {
    const path = yield* Effect.orElseSucceed(Config.string("PATH"), () => "")
    const node = nodeCheck(versions.node)
    const checks = yield* Effect.map(Settings, (settings): ReadonlyArray<Check<Files>> => [
      node,
      { name: "settings", run: Effect.succeed([ok("settings", "Every setting is valid.")]) },
      ...checksOf(settings, path, options.callModel)
    ]).pipe(
      Effect.provide(Settings.layer),
      Effect.catchAll(({ mistakes }) => {
        const found = mistakes.map(({ expected, given, name }) =>
          error(
            "settings",
            `${name} ${given === null ? "is not set" : `is ${JSON.stringify(given)}`}.`,
            `It must be ${expected}. The other checks need valid settings.`
          )
        )
        return Effect.succeed([node, { name: "settings", run: Effect.succeed(found) }])
      })
    )
    return Stream.fromIterable(checks).pipe(
      Stream.mapEffect(findings, { concurrency: checks.length }),
      Stream.flattenIterables
    )
  }))
