import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Process from "@effect/platform/Command"
import type { CommandExecutor } from "@effect/platform/CommandExecutor"
import type { HealthReport } from "@troupe/api/SystemApi"
import { error, Finding, ok, skipped, warning } from "@troupe/domain/Finding"
import { plural } from "@troupe/domain/Text"
import { Effect, Option, Schema, Stream } from "effect"
import { execPath } from "node:process"
import { connection, defaultUrl } from "./Arguments.ts"
import { CommandFailed } from "./CommandFailed.ts"
import { safeText, type TextStyle } from "./Format.ts"
import { installed, serviceOption } from "./Installation.ts"
import { Screen } from "./Screen.ts"
import { call, forService, segment, Service } from "./Service.ts"

const marks: Readonly<Record<Finding["status"], readonly [mark: string, style: keyof TextStyle]>> = {
  ok: ["\u2713", "green"],
  warning: ["!", "yellow"],
  error: ["\u2717", "red"],
  skipped: ["-", "dim"]
}

const nameWidth = 22

/** A finding with its fix below it. */
const findingLines = ({ check, detail, fix, status }: Finding, paint: TextStyle): string => {
  const [mark, style] = marks[status]
  const indent = " ".repeat(nameWidth + 2)
  const text = (shown: string) => safeText(shown).trim().replaceAll("\n", `\n${indent}`)
  return `${paint[style](mark)} ${paint.bold(safeText(check).padEnd(nameWidth))}${text(detail)}\n`
    + (fix === null ? "" : `${indent}${paint.cyan("Fix:")} ${text(fix)}\n`)
}

const healthStatus = { ok: "ok", degraded: "warning", down: "error", not_configured: "skipped" } as const

/** What the running service says of its parts. */
const ofHealth = ({ checks }: HealthReport): ReadonlyArray<Finding> =>
  Object.entries(checks).map(([name, { detail, status }]) => ({
    check: `service ${name.replaceAll("_", " ")}`,
    status: healthStatus[status],
    detail,
    fix: null
  }))

/** How many findings there are of each kind that needs attention. */
const summary = (findings: ReadonlyArray<Finding>): string => {
  const count = (status: Finding["status"]) => findings.filter((finding) => finding.status === status).length
  const [errors, warnings] = [count("error"), count("warning")]
  return errors + warnings === 0 ? "No faults found." : `${plural(errors, "error")}, ${plural(warnings, "warning")}.`
}

/** What the service's own checks find on this machine, with its settings. */
const local = (
  { folder, program }: { readonly folder: string; readonly program: string },
  callModel: boolean
): Stream.Stream<Finding, CommandFailed, CommandExecutor> =>
  Process.make(execPath, program, ...(callModel ? ["--model"] : [])).pipe(
    Process.workingDirectory(folder),
    Process.stderr("inherit"),
    Process.streamLines,
    Stream.mapEffect(Schema.decode(Schema.parseJson(Finding))),
    Stream.mapError(({ message }) =>
      new CommandFailed({ reason: "unavailable", message: `The checks of the service could not run: ${message}` })
    )
  )

const notLocal = skipped(
  "installation",
  "The service is not installed where this command is: its settings, database, folders and ports are not checked.",
  "Run this on its machine, in its folder, or name that with --service."
)

/** Calls each stored model once through the service. The model of the settings is called by this process. */
const storedModels = Effect.gen(function*() {
  const { models } = yield* call((client) => client.models.list({}))
  return yield* Effect.forEach(models.filter(({ source }) => source === "stored"), ({ name }) =>
    Effect.map(
      call((client) => client.models.test({ path: { name: segment(name) } })),
      (tested) =>
        tested.ok
          ? ok(`model ${name}`, `${tested.detail} ${tested.latency_ms} ms`)
          : error(`model ${name}`, tested.detail, "Change it in the console under Models.")
    ))
})

/** The rules that never apply. Who may not read the rules, and an older service, is told nothing of them. */
const policyFindings: Effect.Effect<ReadonlyArray<Finding>, never, Service> = call((client) => client.policy.find({}))
  .pipe(
    Effect.map(({ dead, rules }) =>
      rules.length > 0 && dead.length === 0
        ? [ok("policy", `${plural(rules.length, "rule")}, about tools and arguments that there are.`)]
        : dead.map(({ index, reason }) =>
          warning(
            `policy rule ${index + 1}`,
            `It never applies: ${reason}.`,
            "Correct the name (troupe tools lists those of tool servers) or delete the rule: in the console under Policy, or with troupe policy show --json and troupe policy apply."
          )
        )
    ),
    Effect.orElseSucceed(() => [])
  )

/** Schedules, types of webhooks, mailboxes and tool servers that do not work. An older service tells nothing of them. */
const unattendedWork = call(({ unattended }) => unattended.list({})).pipe(
  Effect.map((all) => {
    const wrong = all.filter(({ health }) => health.state !== "ok")
    return wrong.length === 0
      ? [ok("unattended work", `${plural(all.length, "piece")} of unattended work, all of it ok.`)]
      : wrong.map(({ health: { last_error, since, state }, kind, name }) =>
        warning(
          kind.replaceAll("_", " "),
          `${name} is ${state}${since === null ? "" : ` since ${since}`}.${
            last_error === null ? "" : ` ${last_error}`
          }`,
          "The console shows it under Needs attention."
        )
      )
  }),
  Effect.orElseSucceed(() => [])
)

/** What the running service reports; no service is a fault only where none is to be started here. */
const remote = (isInstalled: boolean, callModel: boolean): Effect.Effect<ReadonlyArray<Finding>, never, Service> =>
  Effect.gen(function*() {
    const { url } = yield* Service
    const { deployment_mode, version } = yield* call(({ system }) => system.version({}))
    const health = yield* call(({ system }) => system.health({}))
    const models = callModel ? yield* storedModels : []
    const work = yield* unattendedWork
    const service = ok("service", `Troupe ${version} (${deployment_mode}) answers at ${url}. Its parts:`)
    return [service, ...ofHealth(health), ...work, ...yield* policyFindings, ...models]
  }).pipe(
    Effect.catchAll(({ message, reason }) =>
      Effect.map(Service, ({ url }) => {
        if (reason === "unavailable") {
          const fix = "Start it with npm start, or name its address with --url or TROUPE_URL."
          return [(isInstalled ? warning : error)("service", `No Troupe answers at ${url}.`, fix)]
        }
        const fix = reason === "denied"
          ? "Set TROUPE_TOKEN to a valid token."
          : "Name the service's address with --url."
        return [error("service", message, fix)]
      })
    )
  )

export const doctor = Command.make(
  "doctor",
  {
    ...connection,
    model: Options.boolean("model").pipe(
      Options.withDescription("Also make a real call of each language model, as small as it can be")
    ),
    service: serviceOption
  },
  ({ json, model, service, token, url: given }) =>
    Effect.gen(function*() {
      const screen = yield* Screen
      const found = yield* installed(service, "doctor.js")
      const findings: Array<Finding> = []
      // Unless an address was given, the service is where the settings of this machine put it.
      const asked = Effect.suspend(() => {
        const { url } = findings.find((finding) => finding.url !== undefined) ?? {}
        const report = remote(Option.isSome(found), model)
        return url === undefined || given !== defaultUrl
          ? report
          : Effect.provide(report, Service.layer({ url, token }))
      })
      yield* Stream.concat(
        Option.match(found, { onNone: () => Stream.make(notLocal), onSome: (one) => local(one, model) }),
        Stream.fromIterableEffect(asked)
      ).pipe(
        Stream.runForEach((finding) => {
          findings.push(finding)
          return json ? Effect.void : screen.write(findingLines(finding, screen.paint))
        })
      )
      yield* json ? screen.json(findings) : screen.write(`\n${summary(findings)}\n`)
      if (findings.some(({ status }) => status === "error")) {
        return yield* new CommandFailed({ reason: "failed", message: "" })
      }
    })
).pipe(forService("Checks the service and the machine that it runs on, and says how to fix what is wrong"))
