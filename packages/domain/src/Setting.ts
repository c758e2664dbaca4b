import { Schema } from "effect"
import { Timestamp } from "./Timestamp.ts"

export const SettingSection = Schema.Literal(
  "core",
  "storage",
  "model",
  "agent",
  "agent-files",
  "skills",
  "chat",
  "smtp",
  "imap",
  "schedules",
  "webhooks",
  "tool-servers",
  "memory",
  "policy",
  "workers",
  "telemetry",
  "hosted"
)
export type SettingSection = typeof SettingSection.Type

/** In the order of precedence. */
export const SettingSource = Schema.Literal("environment", "file", "stored", "default")
export type SettingSource = typeof SettingSource.Type

export const SettingView = Schema.Struct({
  name: Schema.String.annotations({ description: "The environment variable" }),
  section: SettingSection.annotations({ description: "What it is about" }),
  title: Schema.String.annotations({ description: "Its name as people read it" }),
  description: Schema.String.annotations({ description: "What it does" }),
  expected: Schema.String.annotations({ description: "What its value must be" }),
  value: Schema.NullOr(Schema.String).annotations({
    description: "The value in effect; null for a secret, and where other settings decide (the description says how)"
  }),
  is_set: Schema.Boolean.annotations({ description: "Whether anything but its default is in effect" }),
  source: SettingSource.annotations({
    description: "Where its value is from: the environment, the file .env, stored by this interface, or its default"
  }),
  secret: Schema.Boolean.annotations({ description: "Whether its value is never shown" }),
  locked: Schema.Boolean.annotations({ description: "The environment or .env sets it, so it can't be stored" }),
  needs: Schema.Literal("nothing", "start").annotations({
    description:
      "nothing: a stored value takes effect within 10 seconds. start: it is read at the start, and can't be stored"
  })
}).annotations({ identifier: "Setting" })
export type SettingView = typeof SettingView.Type

export const SettingChanges = Schema.Record({
  key: Schema.String,
  value: Schema.NullOr(Schema.Union(Schema.String, Schema.Number, Schema.Boolean)).annotations({
    message: () => ({ message: "a text, a number, true, false or null", override: true })
  })
}).annotations({
  identifier: "SettingChanges",
  description: "Values by the names of their settings; null removes what is stored"
})
export type SettingChanges = typeof SettingChanges.Type

export const SettingChange = Schema.Struct({
  name: Schema.String.annotations({ description: "The setting" }),
  value: Schema.NullOr(Schema.String).annotations({
    description: "What was stored; null: a secret, or it was removed"
  }),
  is_set: Schema.Boolean.annotations({ description: "false: what was stored was removed" }),
  changed_by: Schema.NullOr(Schema.String).annotations({ description: "Id of the user who changed it" }),
  changed_at: Timestamp.annotations({ description: "When it was changed" })
}).annotations({ identifier: "SettingChange" })
export type SettingChange = typeof SettingChange.Type

/** Nothing was stored. */
export class SettingsRefused extends Schema.TaggedError<SettingsRefused>()("SettingsRefused", {
  mistakes: Schema.Array(Schema.Struct({
    path: Schema.String.annotations({ description: "The name of the setting" }),
    message: Schema.String.annotations({ description: "What is wrong with it" })
  })).annotations({ description: "What is wrong, and where" })
}) {
  override get message() {
    return this.mistakes.map(({ message, path }) => `${path}: ${message}`).join("; ")
  }
}

/** Nothing was stored, because a secret would be readable in the database. */
export class SecretsUnsealed extends Schema.TaggedError<SecretsUnsealed>()("SecretsUnsealed", {
  names: Schema.Array(Schema.String).annotations({ description: "The secrets" })
}) {
  override get message() {
    return `${
      this.names.join(", ")
    } can't be stored: there is no key to seal secrets with. Set SECRETS_KEY for every process.`
  }
}
