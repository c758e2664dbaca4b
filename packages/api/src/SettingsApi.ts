import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { mailboxOf } from "@troupe/domain/Mailbox"
import { SettingChange, SettingChanges, SettingView } from "@troupe/domain/Setting"
import { Either, Schema } from "effect"
import { AdminOnly, Authentication } from "./Authentication.ts"
import { checkedWhole, described, optional, titled } from "./Fields.ts"
import * as Problems from "./Problems.ts"

/** The sections of settings that can be tried. */
export const TestedSection = Schema.Literal("model", "chat", "smtp", "imap", "storage")
export type TestedSection = typeof TestedSection.Type

export const SettingsTest = Schema.Struct({
  section: TestedSection.annotations({
    description: "What is tried",
    message: () => "model, chat, smtp, imap or storage"
  }),
  values: optional(SettingChanges.annotations({
    description:
      "Values to try instead of those in effect; they are not stored. What the environment or .env sets stays"
  })),
  mail_to: optional(
    Schema.String.pipe(
      Schema.filter((given) => Either.isRight(mailboxOf(given)), {
        message: () => "one address such as ada@example.org",
        jsonSchema: { maxLength: 400 }
      })
    ).annotations({
      description:
        "smtp: also sends a mail to this address. Where receiving is set, it goes to the service itself, too, and is read back"
    })
  )
}).annotations({ identifier: "SettingsTestRequest" })
export type SettingsTest = typeof SettingsTest.Type

export const TestStep = Schema.Struct({
  name: Schema.String.annotations({ description: "What was tried" }),
  status: Schema.Literal("ok", "failed", "unknown").annotations({
    description: "unknown: it can't be tried from here, and does not count"
  }),
  detail: Schema.String.annotations({ description: "What was found" })
}).annotations({ identifier: "SettingsTestStep" })
export type TestStep = typeof TestStep.Type

export const SettingsTestReport = Schema.Struct({
  ok: Schema.Boolean.annotations({ description: "Whether it works" }),
  detail: Schema.String.annotations({ description: "What was found, and what to do about it; without secrets" }),
  latency_ms: Schema.Int.annotations({ description: "How long the test took" }),
  steps: Schema.Array(TestStep).annotations({ description: "What was tried, in order" })
}).annotations({ identifier: "SettingsTestReport" })
export type SettingsTestReport = typeof SettingsTestReport.Type

const settings = Schema.Array(SettingView)

/** The settings of the service, as owner and admins see and change them. */
export class SettingsApi extends HttpApiGroup.make("settings")
  .add(
    HttpApiEndpoint.get("list", "/api/settings")
      .addSuccess(settings)
      .annotateContext(described("Every setting with its value and where that is from; of a secret, whether it is set"))
  )
  .add(
    HttpApiEndpoint.put("change", "/api/settings")
      .setPayload(checkedWhole(SettingChanges))
      .addSuccess(settings)
      .addError(Problems.settingsRefused)
      .addError(Problems.secretsUnsealed)
      .annotateContext(described(
        "Stores settings, all of them or none, and answers with every setting. They take effect in every process within 10 "
          + "seconds; no running call is cut. null removes what is stored. 400 names each value that is wrong, that the "
          + "environment or .env sets, or that is read at the start only"
      ))
  )
  .add(
    HttpApiEndpoint.get("history", "/api/settings/history")
      .addSuccess(Schema.Array(SettingChange))
      .annotateContext(described("The last 200 changes, newest first"))
  )
  .add(
    HttpApiEndpoint.post("test", "/api/settings/test")
      .setPayload(checkedWhole(SettingsTest))
      .addSuccess(SettingsTestReport)
      .addError(Problems.settingsRefused)
      .annotateContext(described(
        "Tries the settings of a section, also before they are stored. model: a short call of the given settings, else of the "
          + "default model. chat: the platform accepts the token, and the addresses for its requests answer. smtp and imap: the "
          + "server accepts the sign-in; nothing is sent without mail_to. storage: a file is written and deleted"
      ))
  )
  .middlewareEndpoints(AdminOnly)
  .middlewareEndpoints(Authentication)
  .annotateContext(titled("Settings", "The settings of the service."))
{}
