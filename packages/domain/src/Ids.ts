import { Schema } from "effect"

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** A task's id: a UUIDv7 (RFC 9562), so ids sort by the time of creation. */
export const TaskId = Schema.String.pipe(Schema.pattern(uuid), Schema.brand("TaskId")).annotations({
  description: "Task id: a time-sortable UUIDv7"
})
export type TaskId = typeof TaskId.Type

/** A user's id. It names the user's sandbox folder too, so it is a safe file name: no separators, never `..`. */
export const UserId = Schema.String.pipe(
  Schema.pattern(/^[A-Za-z0-9](?:[A-Za-z0-9._@+-]{0,126}[A-Za-z0-9_@+-])?$/, {
    message: () => "1 to 128 letters, digits or . _ @ + -, starting with a letter or digit and not ending with a dot"
  }),
  Schema.brand("UserId")
).annotations({ description: "User id" })
export type UserId = typeof UserId.Type

/** The provider's id of one tool call; unique within a task. */
export const ToolCallId = Schema.String.pipe(Schema.brand("ToolCallId"))
export type ToolCallId = typeof ToolCallId.Type

/** The user of a self-hosted instance who needs no account. */
export const defaultUser = UserId.make("default")

/** The user that owns what webhooks and schedules cause. */
export const systemUser = UserId.make("system")
