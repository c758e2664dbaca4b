import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import type { ModelsReport } from "@troupe/api/ModelsApi"
import type { ModelStatus } from "@troupe/domain/LanguageModel"
import { Effect } from "effect"
import { connection } from "./Arguments.ts"
import { CommandFailed, wrongUsage } from "./CommandFailed.ts"
import { connectModel } from "./ConnectModel.ts"
import { list, safeLine, type TextStyle } from "./Format.ts"
import { Screen, writeDone, writeResult } from "./Screen.ts"
import { call, forService, segment } from "./Service.ts"

const styles: Readonly<Record<ModelStatus, keyof TextStyle>> = {
  answers: "green",
  wrong_key: "red",
  unknown_model: "red",
  unavailable: "red",
  refused: "red",
  untested: "dim"
}

/** The models, a line each. */
export const modelTable = ({ default: first, fallbacks, models }: ModelsReport, paint: TextStyle): string => {
  const placeOf = (name: string) =>
    name === first ? "default" : fallbacks.includes(name) ? `fallback ${fallbacks.indexOf(name) + 1}` : ""
  return list<ModelsReport["models"][number]>(
    ["NAME", ({ name }) => safeLine(name)],
    ["MODEL", ({ model }) => safeLine(model, 60)],
    ["PROVIDER", ({ provider }) => provider],
    ["USE", ({ name }) => placeOf(name)],
    ["STATUS", ({ status }) => status.replace("_", " "), ({ status }) => styles[status]],
    ["DETAIL", ({ detail }) => safeLine(detail, 200)]
  )(models, paint)
}

const name = Args.text({ name: "name" }).pipe(Args.withDescription("Name of the model"))

const test = Command.make("test", { ...connection, name }, ({ json, name }) =>
  Effect.gen(function*() {
    const tested = yield* call(({ models }) => models.test({ path: { name: segment(name) } }))
    yield* writeResult(tested, {
      json,
      text: ({ detail, latency_ms }) => `${safeLine(detail, 1000)} ${latency_ms} ms\n`
    })
    if (!tested.ok) return yield* new CommandFailed({ reason: "failed", message: "" })
  })).pipe(forService("Makes a real call of a model, as small as it can be"))

const choose = Command.make(
  "default",
  {
    ...connection,
    name,
    fallback: Options.text("fallback").pipe(
      Options.withDescription("A model that is called where it is unavailable; may be repeated. None: as before"),
      Options.repeated
    )
  },
  ({ fallback, json, name }) =>
    call(({ models }) =>
      models.choose({ payload: { default: name, ...(fallback.length === 0 ? {} : { fallbacks: fallback }) } })
    ).pipe(Effect.flatMap((report) => writeResult(report, { json, text: modelTable })))
).pipe(forService("Chooses the default model and its fallbacks"))

const remove = Command.make(
  "delete",
  { ...connection, name },
  ({ json, name }) =>
    call(({ models }) => models.remove({ path: { name: segment(name) } })).pipe(
      Effect.zipRight(writeDone({ deleted: name }, { json, note: `Deleted ${safeLine(name)}.` }))
    )
).pipe(forService("Deletes a model with its key"))

const connect = Command.make(
  "connect",
  {
    ...connection,
    name: Args.withDefault(Args.withDescription(Args.text({ name: "name" }), "Its name; default: main"), "main")
  },
  ({ name }) =>
    Effect.flatMap(
      Screen,
      ({ isInteractive, program }) =>
        isInteractive
          ? connectModel(name)
          : wrongUsage(`${program} models connect asks at a terminal. In a script, use PUT /api/models/{name}.`)
    )
).pipe(forService("Asks for a model, tests it, and makes it the default"))

export const models = Command.make(
  "models",
  connection,
  ({ json }) =>
    call((client) => client.models.list({})).pipe(
      Effect.flatMap((report) => writeResult(report, { json, text: modelTable }))
    )
).pipe(
  forService("Lists the language models; connects, tests, chooses and deletes them"),
  Command.withSubcommands([connect, test, choose, remove])
)
