import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Effect } from "effect"
import { answering } from "../People/User/Access.ts"
import { Users } from "../People/User/Users.ts"
import { pageById } from "../Runtime/Database/Page.ts"
import { viaClient } from "./Command/CurrentVia.ts"
import { ApprovalList } from "./Read/ApprovalList.ts"
import { accepted } from "./TasksHttp.ts"
import { onTask, Tasks } from "./UseCase/Tasks.ts"

export const ApprovalsHttp = HttpApiBuilder.group(
  TroupeApi,
  "approvals",
  (handlers) =>
    Effect.map(Effect.all([Tasks, Users, ApprovalList]), ([tasks, users, approvals]) =>
      handlers
        .handle("list", (request) => pageById(request, (piece) => approvals.list({ ...request.urlParams, ...piece })))
        .handle("decide", ({ path, payload, request }) =>
          answering(users, undefined).pipe(
            Effect.flatMap((userId) => onTask(path, (id) => tasks.decide(id, payload.decisions, userId))),
            Effect.map(accepted),
            viaClient(request)
          ))
        .handle("grants", () => approvals.grants)
        .handle(
          "removeGrant",
          ({ path: { grant_id: id } }) =>
            Effect.as(approvals.removeGrant(id), HttpServerResponse.empty({ status: 204 }))
        ))
)
