import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type { ScheduleDraft, ScheduleUpdate } from "@troupe/api/SchedulesApi"
import { TroupeApi } from "@troupe/api/TroupeApi"
import type { UserId } from "@troupe/domain/Ids"
import { ScheduleId, ScheduleInvalid, ScheduleNotFound } from "@troupe/domain/Schedule"
import { Effect, Schema } from "effect"
import { actingFor, allowedOn } from "../People/Access.ts"
import { pageById } from "../Runtime/Database/Page.ts"
import { type ScheduleChange, type ScheduleRequest, Schedules } from "./Schedules.ts"

const isScheduleId = Schema.is(ScheduleId)

/** An id of another form names no schedule. */
const idOf = ({ schedule_id: id }: { readonly schedule_id: string }): Effect.Effect<ScheduleId, ScheduleNotFound> =>
  isScheduleId(id) ? Effect.succeed(id) : new ScheduleNotFound({ id })

const whenOf = ({ at, every }: Pick<ScheduleDraft, "at" | "every">): Effect.Effect<
  ScheduleRequest["when"] | undefined,
  ScheduleInvalid
> =>
  at !== undefined && every !== undefined
    ? new ScheduleInvalid({ path: "every", reason: "either at or every, not both" })
    : Effect.succeed(at !== undefined ? { at } : every !== undefined ? { every } : undefined)

const requestOf = (draft: ScheduleDraft, userId: UserId): Effect.Effect<ScheduleRequest, ScheduleInvalid> =>
  Effect.flatMap(whenOf(draft), (when) =>
    when === undefined
      ? new ScheduleInvalid({ path: "at", reason: "either at (once) or every (recurring) is required" })
      : Effect.succeed({
        kind: draft.kind ?? "task",
        message: draft.message,
        title: draft.title,
        when,
        timezone: draft.timezone,
        userId,
        channelId: draft.channel_id
      }))

const changeOf = ({ channel_id: channelId, kind, message, timezone, title, ...time }: ScheduleUpdate) =>
  Effect.map(whenOf(time), (when): ScheduleChange => ({
    channelId,
    timezone,
    title,
    ...(kind === undefined ? {} : { kind }),
    ...(message === undefined ? {} : { message }),
    ...(when === undefined ? {} : { when })
  }))

export const SchedulesHttp = HttpApiBuilder.group(
  TroupeApi,
  "schedules",
  (handlers) =>
    Effect.map(Schedules, (schedules) =>
      handlers
        .handle("list", (request) =>
          pageById(request, (piece) =>
            Effect.zipRight(
              request.urlParams.user_id === undefined ? Effect.void : allowedOn(request.urlParams.user_id),
              schedules.list({ ...request.urlParams, ...piece })
            )))
        .handle("create", ({ payload }) =>
          actingFor(payload.user_id).pipe(
            Effect.flatMap((userId) => requestOf(payload, userId)),
            Effect.flatMap(schedules.create)
          ))
        .handle("get", ({ path }) => Effect.flatMap(idOf(path), schedules.find))
        .handle("change", ({ path, payload }) =>
          Effect.flatMap(
            idOf(path),
            (id) => Effect.flatMap(changeOf(payload), (change) => schedules.change(id, change))
          ))
        .handle("remove", ({ path }) => Effect.flatMap(idOf(path), schedules.remove))
        .handle("pause", ({ path }) => Effect.flatMap(idOf(path), schedules.pause))
        .handle("resume", ({ path }) => Effect.flatMap(idOf(path), schedules.resume))
        .handle("run", ({ path }) => Effect.flatMap(idOf(path), schedules.runNow)))
)
