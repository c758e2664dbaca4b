import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Effect } from "effect"
import { IgnoredMails } from "./IgnoredMails.ts"

export const MailHttp = HttpApiBuilder.group(
  TroupeApi,
  "mail",
  (handlers) => Effect.map(IgnoredMails, ({ list }) => handlers.handle("ignored", () => list))
)
