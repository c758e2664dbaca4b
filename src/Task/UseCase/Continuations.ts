import { type Caller, NotAllowed } from "@troupe/domain/Caller"
import type { TaskId, UserId } from "@troupe/domain/Ids"
import { type OpeningConversation, openingConversation } from "@troupe/domain/OpeningConversation"
import { replay } from "@troupe/domain/Replay"
import { mergedShown, type Shown } from "@troupe/domain/Shown"
import { TaskNotFound, TaskRequestInvalid, type ToolAccess } from "@troupe/domain/Task"
import { isCut } from "@troupe/domain/TaskEnd"
import { markedOutcome } from "@troupe/domain/TaskOutcome"
import { outlineOf } from "@troupe/domain/TaskReaders"
import { isTerminal } from "@troupe/domain/TaskState"
import { requestedText, shortened } from "@troupe/domain/Text"
import { trustedTexts } from "@troupe/domain/TrustedText"
import { Effect, Option, Struct } from "effect"
import { loadTokenizer } from "../../Agent/TokenEstimate.ts"
import { asService, statementCaller } from "../../Runtime/Database/Isolation.ts"
import { storable } from "../../Runtime/Database/StorableText.ts"
import { type EarlierTask, earlierTasksText } from "../Journal/EarlierTasks.ts"
import { openingRun } from "../Journal/FirstMessage.ts"
import type { ChainLink, TaskRepo } from "../Read/TaskRepo.ts"
import { chainLength } from "../Row/NewTask.ts"
import { type TaskRow } from "../Row/TaskRow.ts"
import { maySeeContent, taskOf } from "../Row/TaskView.ts"

/** Who asks for a continuation. */
export interface Continuing {
  readonly creator: UserId
  readonly assignee: UserId | null
  readonly toolAccess: ToolAccess
}

export interface Continuation {
  /** The text about the earlier tasks for the prompt of the new one. */
  readonly context: string
  readonly chain: ReadonlyArray<TaskId>
  /** What the texts of the earlier tasks show the model. */
  readonly shown: Shown
  /** The agent of the task that is continued. */
  readonly agent: Pick<TaskRow, "agent" | "agent_revision" | "agent_text">
}

/**
 * What a task that continues another begins with: the requests and outcomes of the whole chain. Of each task before it, it
 * has no more than its creator and the caller may see. Guests and unknown senders get what they wrote themselves, and the
 * outline of the task that they continue.
 */
export const makeContinuation = ({ findChain }: Pick<TaskRepo["Type"], "findChain">) =>
  Effect.fnUntraced(function*(previous: TaskId, by: Continuing): Effect.fn.Return<Continuation, TaskRequestInvalid> {
    const path = "continue_task_id"
    const caller = yield* statementCaller
    // Row-level security would leave out the outcomes of others' tasks, which the team sees.
    const links = yield* asService(findChain(previous, by.creator))
    const [newest] = links
    if (newest === undefined) {
      return yield* new TaskRequestInvalid({ path, reason: `there is no task ${previous}` })
    }
    const { chain, reader, row: { status } } = newest
    if (!isTerminal(status)) {
      return yield* new TaskRequestInvalid({ path, reason: `task ${previous} is still ${status}` })
    }
    const isOutsider = reader.isGuest || by.toolAccess !== "all"
    const shown = links.filter((link) => link === newest || !isOutsider || link.row.creator === by.creator)
    const tasks = shown.map((link) => earlierTask(link, by, caller, isOutsider))
    const context = yield* earlierTasksText({
      tasks,
      deleted: chain.length - links.length,
      hasMore: shown.length < links.length || continuesMore(links, chain)
    }, loadTokenizer)
    return {
      context: storable(context),
      chain: chain.slice(0, chainLength),
      shown: mergedShown([
        ...shown.map(shownByEarlier),
        tasks.some(({ words }) => words !== null) ? { outside: "an earlier request with words of others" } : undefined
      ]),
      agent: Struct.pick(newest.row, "agent", "agent_revision", "agent_text")
    }
  })

/** Of tasks that ended before it was recorded, those of webhooks and unknown senders are from outside. */
const shownByEarlier = ({ hasSeenOutside, hasSeenPrivate, row, toolAccess }: ChainLink): Shown => ({
  ...(hasSeenOutside || row.source === "webhook" || toolAccess !== "all"
    ? { outside: "an earlier task that had seen something from outside" }
    : {}),
  ...(hasSeenPrivate ? { private: true } : {})
})
/** The conversation of a finished task, with which another one of `creator` goes on. */
export const makeConversation = ({ findChain, findWhole }: Pick<TaskRepo["Type"], "findChain" | "findWhole">) =>
  Effect.fnUntraced(
    function*(id: TaskId, creator: UserId): Effect.fn.Return<OpeningConversation, NotAllowed | TaskNotFound> {
      const caller = yield* statementCaller
      const [link] = yield* asService(findChain(id, creator))
      if (link === undefined) return yield* new TaskNotFound({ id })
      const by = { creator, assignee: null, toolAccess: "all" as const }
      if (!seesAllOf(link, by, caller, link.reader.isGuest)) {
        return yield* new NotAllowed({
          reason: `Only its creator, its assignee, an owner or an admin may go on with the conversation of task ${id}.`
        })
      }
      const { row, steps } = yield* asService(findWhole(id))
      const run = replay(openingRun(row.description, row), steps.map(({ step }) => step))
      const isTheirs = row.creator === creator
      const isRequested = trustedTexts({ ...row, toolAccess: link.toolAccess }, []).length > 0
      return openingConversation(run, { hasFiles: isTheirs, isTheirs: isTheirs && isRequested })
    }
  )

const continuesMore = (links: ReadonlyArray<ChainLink>, chain: ReadonlyArray<TaskId>): boolean => {
  const before = links.at(-1)?.row.continued_from ?? null
  return before !== null && !chain.includes(before)
}

/** Titles of tasks may be long, and say little. */
const maxTitle = 200

const seesAllOf = (
  { reader, row }: ChainLink,
  { creator }: Continuing,
  caller: Caller | null,
  isOutsider: boolean
): boolean =>
  isOutsider
    ? row.creator === creator
    : maySeeContent(caller, row) && (caller === null || maySeeContent(reader, row))

const earlierTask = (
  link: ChainLink,
  by: Continuing,
  caller: Caller | null,
  isOutsider: boolean
): EarlierTask => {
  const { row, steps, toolAccess } = link
  const { assignee, creator } = by
  const isOwn = row.creator === creator
  const seesAll = seesAllOf(link, by, caller, isOutsider)
  const whole = taskOf(row, Option.some(steps), null, null)
  const task = seesAll ? whole : outlineOf(whole)
  const outcome = task.outputs.findLast(({ type }) => type === "text")?.content ?? task.error ?? "none"
  const description = task.description.replaceAll(/\r\n?/g, "\n").trim()
  const isTheirs = isOwn || (!isOutsider && row.creator === assignee)
  // What a guest or unknown sender wrote is worth as much as their new request.
  const access = isOutsider && toolAccess === "own" ? "all" : toolAccess
  const hasOwn = isTheirs && trustedTexts({ ...row, toolAccess: access }, []).length > 0
  const own = hasOwn ? requestedText(description) : ""
  return {
    id: row.id,
    title: seesAll && (row.title === null || description.startsWith(row.title))
      ? null
      : storable(shortened(task.title, maxTitle)),
    request: own === "" || !seesAll ? null : storable(own),
    words: description === own || !seesAll ? null : storable(description),
    // The folder of files is its creator's.
    files: isOwn && seesAll && row.attachments.length > 0 ? storable(row.attachments.join("\n")) : null,
    outcome: storable(markedOutcome(isCut(task.ended_by) ? task.end_label : null, outcome))
  }
}
