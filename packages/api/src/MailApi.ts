import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { IgnoredMail } from "@troupe/domain/IgnoredMail"
import { Schema } from "effect"
import { AdminOnly, Authentication } from "./Authentication.ts"
import { described, titled } from "./Fields.ts"
import * as Problems from "./Problems.ts"

/** The inbox, whose mails become tasks. */
export class MailApi extends HttpApiGroup.make("mail")
  .add(
    HttpApiEndpoint.get("ignored", "/api/mail/ignored")
      .addSuccess(Schema.Array(IgnoredMail))
      .addError(Problems.searchUnfinished)
      .annotateContext(described("The last 200 mails that were not taken, newest first, with the reasons"))
  )
  .middlewareEndpoints(AdminOnly)
  .middlewareEndpoints(Authentication)
  .annotateContext(titled("Mail", "The inbox, whose mails become tasks."))
{}
