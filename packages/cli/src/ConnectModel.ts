import * as Prompt from "@effect/cli/Prompt"
import type { ModelEntry } from "@troupe/api/ModelsApi"
import { choiceOf, type StoredModelProvider, storedModelProviders } from "@troupe/domain/ModelProvider"
import { Effect, Redacted } from "effect"
import type { Asking } from "./AnswerCommand.ts"
import { CommandFailed } from "./CommandFailed.ts"
import { safeLine } from "./Format.ts"
import { Screen } from "./Screen.ts"
import { call, type Service } from "./Service.ts"

const quit = () => new CommandFailed({ reason: "interrupted", message: "No model was connected." })

const asked = <A>(prompt: Prompt.Prompt<A>): Effect.Effect<A, CommandFailed, Asking> =>
  Effect.mapError(Prompt.run(prompt), quit)

const needed = (message: string) =>
  Prompt.text({
    message,
    validate: (text) => text.trim() === "" ? Effect.fail("It can't be empty.") : Effect.succeed(text.trim())
  })

interface Place {
  readonly provider: StoredModelProvider
  readonly base_url?: string
  /** What is found there without a list. */
  readonly models?: ReadonlyArray<string>
}

const usual: ReadonlyArray<{ readonly title: string; readonly value: Place }> = storedModelProviders.map(
  (provider) => ({ title: choiceOf(provider), value: { provider } })
)

const keyOf = (provider: StoredModelProvider) =>
  Effect.map(
    asked(Prompt.password({
      message: provider === "openai-compatible" ? "Key (empty if the server asks for none)" : "Key",
      validate: (text) =>
        text.trim() === "" && provider !== "openai-compatible"
          ? Effect.fail("It can't be empty.")
          : Effect.succeed(text.trim())
    })),
    Redacted.value
  )

const modelOf = (names: ReadonlyArray<string>) =>
  names.length === 0
    ? asked(needed("Model, as the provider calls it"))
    : asked(Prompt.select({
      message: "Model",
      maxPerPage: 12,
      choices: names.map((name) => ({ title: safeLine(name, 80), value: name }))
    }))

/** Asks for provider, key, address and model, tests the model, and makes it the default under this name. */
export const connectModel = (name: string): Effect.Effect<void, CommandFailed, Asking | Screen | Service> =>
  Effect.gen(function*() {
    const screen = yield* Screen
    const found = yield* call(({ models }) => models.servers({}))
    const place = yield* asked(Prompt.select<Place>({
      message: "Which provider?",
      choices: [
        ...found.map(({ base_url, models, title }) => ({
          title: `${title} on the machine of the service (${base_url})`,
          value: { provider: "openai-compatible" as const, base_url, models }
        })),
        ...usual
      ]
    }))
    const { models: known, provider } = place
    const baseUrl = provider === "openai-compatible"
      ? place.base_url ?? (yield* asked(needed("Address, up to /v1")))
      : null
    const key = known === undefined ? yield* keyOf(provider) : ""
    const at = {
      provider,
      ...(baseUrl === null ? {} : { base_url: baseUrl }),
      ...(key === "" ? {} : { api_key: key })
    }
    const listed = known === undefined
      ? yield* call(({ models }) => models.catalogue({ payload: at }))
      : { models: known, detail: null }
    if (listed.detail !== null) yield* screen.note(`${screen.notePaint.yellow("!")} ${safeLine(listed.detail, 1000)}\n`)
    yield* saved(name, { ...at, model: yield* modelOf(listed.models) })
  })

const saved = (name: string, entry: ModelEntry) =>
  Effect.gen(function*() {
    const screen = yield* Screen
    const { detail, ok } = yield* call(({ models }) => models.trial({ payload: entry }))
    if (!ok) {
      return yield* new CommandFailed({ reason: "failed", message: `It did not answer: ${safeLine(detail, 1000)}` })
    }
    yield* call(({ models }) => models.save({ path: { name: encodeURIComponent(name) }, payload: entry }))
    const { fallbacks } = yield* call(({ models }) => models.list({}))
    yield* call(({ models }) =>
      models.choose({ payload: { default: name, fallbacks: fallbacks.filter((one) => one !== name) } })
    )
    yield* screen.note(`${screen.notePaint.green("\u2713")} ${safeLine(detail, 1000)} It is the default now.\n`)
  })
