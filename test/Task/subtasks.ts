import type { TaskId } from "@troupe/domain/Ids"
import { Effect } from "effect"
import { Tasks } from "../../src/Task/Tasks.ts"
import { askHuman, dispatchSubagent } from "../../src/Tool/ParkingTools.ts"
import { eventually } from "../support/Eventually.ts"
import { statusOf } from "./conversations.ts"

export const becomes = (id: TaskId, status: string) => eventually(statusOf(id), (current) => current === status)

/** The tool results of a task, as its model sees them. */
export const resultsOf = (id: TaskId) =>
  Effect.gen(function*() {
    const tasks = yield* Tasks
    return (yield* tasks.messages(id)).flatMap((message) => message.role === "tool" ? [message.content] : [])
  })

export const tools = [dispatchSubagent, askHuman]
