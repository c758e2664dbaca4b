import { FileSystem } from "@effect/platform"
import { ConfigProvider, Effect, Layer } from "effect"
import { Settings } from "../../src/Runtime/Settings/Settings.ts"
import type { SettingsInvalid } from "../../src/Runtime/Settings/Settings.ts"

export type Values = Record<string, string>

export const read = (values: Values) => Effect.provide(Settings, Settings.layerFrom(values))

/** Fails without the settings, which are too large for the report of a test that fails. */
export const refusal = (values: Values): Effect.Effect<SettingsInvalid, void> =>
  Effect.flip(Effect.asVoid(read(values)))

export const namesOf = (values: Values) =>
  Effect.map(refusal(values), ({ mistakes }) => mistakes.map(({ name }) => name).toSorted())

/** Reads as at the start of the service, with `environment` around it and `file` as `.env`. */
export const start = (environment: Values, file: FileSystem.FileSystem) =>
  Effect.provide(Settings, Layer.provide(Settings.layer, Layer.succeed(FileSystem.FileSystem, file))).pipe(
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(environment))))
  )

export const dotEnv = (content: string | Uint8Array) =>
  FileSystem.makeNoop({
    exists: (path) => Effect.succeed(path === ".env"),
    readFile: () => Effect.succeed(Buffer.from(content))
  })

export const team = { OIDC_ISSUER: "https://id.example.org", OIDC_AUDIENCE: "t", TEAM_OWNER_EMAIL: "ada@example.org" }

export const expectedOf = (values: Values) => Effect.map(refusal(values), ({ mistakes }) => mistakes[0]?.expected)
