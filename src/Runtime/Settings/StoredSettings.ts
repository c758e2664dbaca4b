import { SqlClient } from "@effect/sql/SqlClient"
import type { FieldError } from "@troupe/api/Problem"
import type { UserId } from "@troupe/domain/Ids"
import {
  SecretsUnsealed,
  SettingChange,
  type SettingChanges,
  type SettingSource,
  SettingsRefused,
  type SettingView
} from "@troupe/domain/Setting"
import { Context, Effect, Either, Layer, PubSub, Redacted, Schema, Stream } from "effect"
import { v7 } from "uuid"
import { rowsOf } from "../Database/Query.ts"
import { Signals } from "../Database/Signals.ts"
import { timestamp } from "../Database/TimestampColumn.ts"
import { suggestion } from "../NearNames.ts"
import { Sealed, Sealing } from "../Sealing.ts"
import type { Declaration } from "./Setting.ts"
import type { Overlay, SettingTexts, SettingValues } from "./Settings.ts"
import { declarationOf, declaredAs, isSecret, sections, settingNames, titleOf } from "./SettingsCatalogue.ts"

/** The settings that owner and admins store. Each process applies them within seconds, this one at once. */
export class StoredSettings extends Context.Tag("troupe/Runtime/Settings/StoredSettings")<StoredSettings, {
  readonly list: Effect.Effect<ReadonlyArray<SettingView>>
  /** Stores all of the changes or none. */
  readonly change: (
    changes: SettingChanges,
    by: UserId | null
  ) => Effect.Effect<void, SettingsRefused | SecretsUnsealed>
  /** The values with these changes, which are not stored; also of settings that need a start. */
  readonly tried: (changes: SettingChanges) => Effect.Effect<SettingValues, SettingsRefused>
  /** An element after each change of the values in effect in this process. */
  readonly changes: Stream.Stream<void>
  /** The last changes, newest first. */
  readonly history: Effect.Effect<ReadonlyArray<SettingChange>>
}>() {
  static readonly layer = (overlay: Overlay): Layer.Layer<StoredSettings, never, SqlClient | Signals | Sealing> =>
    Layer.scoped(this, make(overlay))
}

/** Signals may be lost. */
const pollInterval = "10 seconds"

const maxHistory = 200

const Texts = Schema.parseJson(Schema.Record({ key: Schema.String, value: Sealed }))
const textsOf = Schema.encodeSync(Texts)
const rows = rowsOf(Schema.Struct({ version: Schema.Number, settings: Texts }))
const changesIn = rowsOf(SettingChange)

const placeOf = (name: string) => `setting\0${name}`

const make = (overlay: Overlay) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const signals = yield* Signals
    const sealing = yield* Sealing
    const exclusively = (yield* Effect.makeSemaphore(1)).withPermits(1)
    const applications = yield* PubSub.sliding<void>(1)
    let applied = -1

    const read = Effect.map(
      rows(sql`select version::float8 as version, settings from stored_settings where single`),
      ([row = { version: 0, settings: {} }]) => row
    )

    const opened = (settings: Readonly<Record<string, Sealed>>): Effect.Effect<SettingTexts> =>
      Effect.gen(function*() {
        const texts = new Map<string, string>()
        for (const [name, sealed] of Object.entries(settings)) {
          const text = sealing.open(sealed, placeOf(name))
          if (Either.isRight(text)) texts.set(name, Redacted.value(text.right))
          else yield* Effect.logWarning(`The stored ${name} can't be read with this SECRETS_KEY; it does not count`)
        }
        return texts
      })

    const apply = exclusively(Effect.gen(function*() {
      const { settings, version } = yield* read
      if (version === applied) return
      const texts = yield* opened(settings)
      const usable = new Map([...texts].filter(([name]) => declarationOf(name)?.needs === "nothing"))
      const values = yield* Effect.either(overlay.valuesWith(usable))
      applied = version
      if (Either.isRight(values)) {
        overlay.replace(usable, values.right)
        yield* applications.publish(undefined)
      } else yield* Effect.logError(`The stored settings are not applied. ${values.left.message}`)
    }))

    const change = Effect.fn("StoredSettings.change")(function*(changes: SettingChanges, by: UserId | null) {
      const wanted = yield* checked(changes)
      const secrets = wanted.filter(([name, text]) => text !== null && isSecret(name))
      if (secrets.length > 0 && !sealing.canSeal) {
        return yield* new SecretsUnsealed({ names: secrets.map(([name]) => name) })
      }
      yield* Effect.gen(function*() {
        yield* sql`insert into stored_settings (version, settings) values (0, '{}') on conflict (single) do nothing`
        const [before] = yield* rows(
          sql`select version::float8 as version, settings from stored_settings where single for update`
        )
        const settings = { ...before?.settings }
        yield* valid(withChanges(yield* opened(settings), wanted))
        for (const [name, text] of wanted) {
          if (text === null) delete settings[name]
          else settings[name] = isSecret(name) ? sealing.seal(Redacted.make(text), placeOf(name)) : { plain: text }
          yield* sql`insert into setting_changes (id, name, value, is_set, changed_by) values (
  ${v7()}::uuid, ${name}, ${isSecret(name) ? null : text}, ${text !== null}, ${by})`
        }
        yield* sql`update stored_settings set version = version + 1, settings = ${textsOf(settings)} where single`
        yield* sql`select pg_notify('troupe_settings', '')`
      }).pipe(sql.withTransaction, Effect.catchTag("SqlError", Effect.die), Effect.uninterruptible)
      yield* apply
      signals.send("troupe_settings")
    })

    /** The changes as texts; fails with every name that can't be stored and every value that is wrong. */
    const checked = (changes: SettingChanges) =>
      Effect.gen(function*() {
        const refused = mistakesIn(Object.keys(changes), yield* overlay.given)
        const wanted = entriesOf(changes).filter(([name]) => refused.every(({ path }) => path !== name))
        const wrong = yield* Effect.match(valid(withChanges(overlay.texts(), wanted)), {
          onFailure: ({ mistakes }) => mistakes,
          onSuccess: () => []
        })
        const mistakes = [...refused, ...wrong]
        return mistakes.length > 0 ? yield* new SettingsRefused({ mistakes }) : wanted
      })

    const valid = (texts: SettingTexts) =>
      Effect.mapError(overlay.valuesWith(texts), ({ mistakes }) =>
        new SettingsRefused({
          mistakes: mistakes.map(({ expected, name }) => ({ path: name, message: `expected ${expected}` }))
        }))

    yield* apply
    yield* Stream.merge(signals.receive("troupe_settings"), Stream.tick(pollInterval)).pipe(
      Stream.runForEach(() =>
        Effect.catchAllDefect(apply, (cause) =>
          Effect.logDebug("Reading the stored settings failed; it will be retried", cause))
      ),
      Effect.forkScoped
    )

    return StoredSettings.of({
      list: Effect.flatMap(overlay.given, (given) => {
        const names = [...new Set([...given.keys(), ...overlay.texts().keys()])]
        return Effect.forEach(
          sections.flatMap(({ id, settings }) =>
            settings.flatMap((one) =>
              declaredAs(one, names)
            ).map((one) => [id, one] as const)
          ),
          ([section, one]) => viewOf(overlay, given, section, one)
        )
      }),
      changes: Stream.fromPubSub(applications),
      change,
      tried: (changes) => valid(withChanges(overlay.texts(), entriesOf(changes))),
      history: changesIn(
        sql`select name, value, is_set, changed_by, ${sql.literal(timestamp("changed_at", "changed_at"))}
from setting_changes order by id desc limit ${maxHistory}`
      )
    })
  })

const entriesOf = (changes: SettingChanges): ReadonlyArray<readonly [name: string, text: string | null]> =>
  Object.entries(changes).map(([name, value]) => {
    const text = value === null ? "" : String(value).trim()
    // A blank value counts as unset, as in the environment.
    return [name, text === "" ? null : text] as const
  })

const withChanges = (
  before: SettingTexts,
  changes: ReadonlyArray<readonly [name: string, text: string | null]>
): SettingTexts => {
  const texts = new Map(before)
  for (const [name, text] of changes) {
    if (text === null) texts.delete(name)
    else texts.set(name, text)
  }
  return texts
}

const viewOf = (
  overlay: Overlay,
  given: ReadonlyMap<string, "environment" | "file">,
  section: SettingView["section"],
  { default: literal, description, expected, name, needs, secret }: Declaration
): Effect.Effect<SettingView> =>
  Effect.map(overlay.textOf(name), (givenText) => {
    const stored = overlay.texts().get(name)
    const source: SettingSource = given.get(name) ?? (stored === undefined ? "default" : "stored")
    return {
      name,
      section,
      title: titleOf(name),
      description,
      expected,
      value: secret ? null : givenText ?? stored ?? literal,
      is_set: source !== "default",
      source,
      secret,
      locked: given.has(name),
      needs
    }
  })

/** Why settings can't be stored, by name: there is no such setting, the environment or `.env` sets it, or it needs a start. */
export const mistakesIn = (
  names: ReadonlyArray<string>,
  given: ReadonlyMap<string, "environment" | "file">
): ReadonlyArray<FieldError> =>
  names.flatMap((name) => {
    const message = whyNot(name, given.get(name))
    return message === null ? [] : [{ path: name, message }]
  })

const whyNot = (name: string, source: "environment" | "file" | undefined): string | null => {
  const declared = declarationOf(name)
  if (declared === undefined || name.endsWith(">")) {
    return `there is no such setting. ${suggestion(name, [...settingNames], "GET /api/settings lists them.")}`
  }
  if (source !== undefined) {
    return `locked: ${source === "file" ? "the file .env" : "the environment"} of the service sets it`
  }
  return declared.needs === "start"
    ? "it is read when the service starts: set it in the environment or in .env, and restart"
    : null
}
