import type { AnyTaskEvent, TaskEvent } from "@troupe/api/TaskEvent"
import type { Caller } from "@troupe/domain/Caller"
import type { TaskId } from "@troupe/domain/Ids"
import type { TaskType } from "@troupe/domain/Task"
import { mayReadContent } from "@troupe/domain/TaskReaders"
import { isTerminal } from "@troupe/domain/TaskState"
import { Effect, Option, type Stream } from "effect"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { makeAllTasksTopic } from "./AllTasksTopic.ts"
import { makeEventStream } from "./EventTopic.ts"
import { parseIdOfAll, parseIdOfOne, type Position } from "./Position.ts"
import { atStart, type Progress } from "./TaskFrames.ts"
import { makeTaskTopics } from "./TaskTopics.ts"

/** Streams of events, past and live from any process, after the event of an id: without a gap or a repetition. */
export const makeTaskEvents = Effect.gen(function*() {
  const topics = yield* makeTaskTopics
  const all = yield* makeAllTasksTopic
  const streamOfOne = yield* makeEventStream<TaskEvent, Progress>()
  const streamOfAll = yield* makeEventStream<AnyTaskEvent, Position>()

  return {
    /** The events of a task until it is finished or deleted. Text may be lost, and is not for a reader of the outline. */
    ofOne: (
      id: TaskId,
      options: { readonly type: TaskType; readonly after: Option.Option<string>; readonly isOutline: boolean }
    ): Stream.Stream<TaskEvent> => {
      const resumed = Option.flatMap(options.after, parseIdOfOne(id))
      return streamOfOne({
        topic: topics.of(id),
        // Row-level security keeps the steps from a reader of the outline, who gets their kinds and times.
        readAfter: (position) => options.isOutline ? asService(topics.readAfter(position)) : topics.readAfter(position),
        // The usage is counted from the first step.
        position: atStart(id, options.type),
        resumed,
        opening: () =>
          Option.isSome(resumed)
            ? []
            : [{ _tag: "status", id: "0.0", status: "pending", error: null, ended_by: null, end_label: null }],
        isEnd: ({ status }) => isTerminal(status),
        maySee: () => !options.isOutline
      })
    },
    /**
     * First its position, then the events of all tasks, in order within a task, without content where the caller may not
     * see it; null is the service itself, and a self-hosted user.
     */
    ofAll: (after: Option.Option<string>, caller: Caller | null): Stream.Stream<AnyTaskEvent> => {
      const resumed = Option.flatMap(after, parseIdOfAll)
      return streamOfAll({
        topic: all.topic,
        // As the live events, they are read for the service: the statuses of all tasks are for the team.
        readAfter: (position) => asService(all.readAfter(position)),
        position: Option.getOrNull(Option.map(resumed, ({ row }) => ({ ...row, seq: row.seq - 1 }))),
        resumed,
        opening: ({ xact }) => Option.isSome(resumed) ? [] : [{ _tag: "position", id: String(xact) }],
        isEnd: () => false,
        maySee: (people) => caller === null || mayReadContent(caller, people)
      })
    }
  }
})
