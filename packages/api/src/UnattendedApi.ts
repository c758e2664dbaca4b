import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { UnattendedWork } from "@troupe/domain/Unattended"
import { Schema } from "effect"
import { Authentication } from "./Authentication.ts"
import { described, titled } from "./Fields.ts"

/** What works without anybody who looks. */
export class UnattendedApi extends HttpApiGroup.make("unattended")
  .add(
    HttpApiEndpoint.get("list", "/api/unattended")
      .addSuccess(Schema.Array(UnattendedWork))
      .annotateContext(
        described(
          "The health of every schedule, type of webhooks, mailbox and tool server, what is not ok first, at most 1,000 schedules; a "
            + "member's list has the own schedules. It is looked at every 15 seconds"
        )
      )
  )
  .middlewareEndpoints(Authentication)
  .annotateContext(titled("Unattended work", "What works without anybody who looks."))
{}
