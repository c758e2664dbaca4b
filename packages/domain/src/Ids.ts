import { Schema } from "effect"

export const Uuid = Schema.String.pipe(
  Schema.pattern(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)
)

/** The id of one kind of record: a UUIDv7 (RFC 9562), so ids sort by the time of creation. */
export const recordId = <Brand extends string>(brand: Brand, description: string) =>
  Uuid.pipe(Schema.brand(brand)).annotations({ description })

export const TaskId = recordId("TaskId", "Task id: a time-sortable UUIDv7")
export type TaskId = typeof TaskId.Type

export const ScheduleId = recordId("ScheduleId", "Schedule id: a time-sortable UUIDv7")
export type ScheduleId = typeof ScheduleId.Type

/** Also the name of the user's sandbox folder, so it is a safe file name: no separators, never `..`. */
export const UserId = Schema.String.pipe(
  Schema.pattern(/^[A-Za-z0-9](?:[A-Za-z0-9._@+-]{0,126}[A-Za-z0-9_@+-])?$/, {
    message: () => "1 to 128 letters, digits or . _ @ + -, starting with a letter or digit and not ending with a dot"
  }),
  Schema.brand("UserId")
).annotations({ description: "User id" })
export type UserId = typeof UserId.Type
export const isUserId = Schema.is(UserId)

export const ToolCallId = Schema.String.pipe(Schema.brand("ToolCallId"))
export type ToolCallId = typeof ToolCallId.Type

export const defaultUser = UserId.make("default")

/** The owner of tasks that webhooks and schedules create. */
export const systemUser = UserId.make("system")
