import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { TroupeApi } from "@troupe/api/TroupeApi"
import type { ScheduleId } from "@troupe/domain/Ids"
import { isScheduleId, ScheduleNotFound } from "@troupe/domain/Schedule"
import { Effect, Option } from "effect"
import { actingFor } from "../../People/User/Access.ts"
import { Users } from "../../People/User/Users.ts"
import { pageById } from "../../Runtime/Database/Page.ts"
import { previewOf } from "./SchedulePlan.ts"
import { Schedules } from "./Schedules.ts"

/** An id of another form names no schedule. */
const idOf = ({ schedule_id: id }: { readonly schedule_id: string }): Effect.Effect<ScheduleId, ScheduleNotFound> =>
  isScheduleId(id) ? Effect.succeed(id) : new ScheduleNotFound({ id })

export const SchedulesHttp = HttpApiBuilder.group(
  TroupeApi,
  "schedules",
  (handlers) =>
    Effect.map(Effect.all([Schedules, Users]), ([schedules, users]) =>
      handlers
        .handle("list", (request) =>
          Effect.flatMap(
            Effect.transposeMapOption(
              Option.fromNullable(request.urlParams.user_id),
              (given) => actingFor(users, given)
            ),
            (user) =>
              pageById(request, (piece) =>
                schedules.list({ ...request.urlParams, user_id: Option.getOrNull(user), ...piece }))
          ))
        .handle("create", ({ payload }) =>
          Effect.flatMap(actingFor(users, payload.user_id), (user_id) =>
            schedules.create({ ...payload, user_id })))
        .handle("preview", ({ payload }) =>
          previewOf(payload))
        .handle("get", ({ path }) =>
          Effect.flatMap(idOf(path), schedules.find))
        .handle("change", ({ path, payload }) =>
          Effect.flatMap(idOf(path), (id) => schedules.change(id, payload)))
        .handle("remove", ({ path }) => Effect.flatMap(idOf(path), schedules.remove))
        .handle("pause", ({ path }) => Effect.flatMap(idOf(path), schedules.pause))
        .handle("resume", ({ path }) => Effect.flatMap(idOf(path), schedules.resume))
        .handle("run", ({ path }) => Effect.flatMap(idOf(path), schedules.runNow)))
)
