import type { ApprovalDecision } from "@troupe/api/ApprovalsApi"
import { approves as isApproval, askedCalls, decides } from "@troupe/domain/Approval"
import { NotAllowed } from "@troupe/domain/Caller"
import type { TaskId, UserId } from "@troupe/domain/Ids"
import { type Task, type TaskNotFound, TaskStateConflict } from "@troupe/domain/Task"
import { Effect, Option } from "effect"
import { CurrentVia } from "../Command/CurrentVia.ts"
import type { AnswerTo, TaskCommands } from "../Command/TaskCommands.ts"
import type { TaskRow } from "../Row/TaskRow.ts"
import type { Decide } from "./Approvals.ts"
import { whyNotApproved } from "./Refusals.ts"

/** Its question is about calls, each with a row. */
export const asksForApprovals = ({ approvals, asks_approval }: TaskRow): boolean =>
  asks_approval && approvals?.some(({ status }) => status === "open") === true

/** A question of an earlier version, which has no rule that lists anybody. */
export const checkNotByProgram = ({ asks_approval }: TaskRow, approves: boolean): Effect.Effect<void, NotAllowed> =>
  Effect.flatMap(CurrentVia, (via) =>
    asks_approval && approves && via === "mcp"
      ? new NotAllowed({ reason: "Its question is an approval that no program may give." })
      : Effect.void)

interface ApprovalServices {
  readonly checkRight: (id: TaskId) => Effect.Effect<unknown, NotAllowed>
  readonly commands: Pick<TaskCommands["Type"], "steer">
  readonly find: (id: TaskId) => Effect.Effect<Task, TaskNotFound>
  readonly decide: Decide
}

/** An answer decides about the calls that it names; any other text is a message to the agent, read once all are decided. */
export const makeAnswerApproval = ({ checkRight, commands, decide, find }: ApprovalServices) =>
  Effect.fnUntraced(function*(row: TaskRow, text: string, userId: Option.Option<UserId>, options: AnswerTo) {
    const { id, status } = row
    const by = Option.getOrNull(userId)
    const decisions = decisionsIn(row, text, options)
    if (decisions === "unnamed") {
      return yield* new TaskStateConflict({ id, status, wanted: whyNotApproved({ ...options, approves: true }) })
    }
    if (decisions === "message") {
      yield* checkRight(id)
      const isSent = yield* commands.steer(id, text, by)
      if (!isSent) return yield* new TaskStateConflict({ id, status, wanted: "it takes no message now; send it later" })
      return yield* find(id)
    }
    yield* decide(id, decisions, by).pipe(
      // It names calls that the question does not have.
      Effect.catchTag(
        "TaskRequestInvalid",
        () => new TaskStateConflict({ id, status, wanted: "it asks another question by now" })
      ),
      Effect.catchTag(
        "ApprovalDecided",
        ({ message }) => new TaskStateConflict({ id, status, wanted: message.replace(/\.$/, "") })
      )
    )
    return yield* find(id)
  })

/** What an answer to a question for approvals means: decisions, or a message to the agent that leaves the calls open. */
const decisionsIn = (
  { approvals, last_tool_call_id: asked }: Pick<TaskRow, "approvals" | "last_tool_call_id">,
  text: string,
  { approves = isApproval(text), call }: AnswerTo
): ReadonlyArray<ApprovalDecision> | "message" | "unnamed" => {
  if (!approves && !(decides(text) && !isApproval(text))) return "message"
  if (call === undefined || call === null) return "unnamed"
  const decision = approves ? "approve" as const : "deny" as const
  // An answer to the whole question is about the calls that nobody has decided yet.
  const isOpen = (id: string) => approvals?.some((row) => row.tool_call_id === id && row.status === "open") === true
  const named = call === asked ? askedCalls(call).filter(isOpen) : [call]
  return named.map((tool_call_id) => ({ tool_call_id, decision }))
}
