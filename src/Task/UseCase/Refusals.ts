import { Predicate } from "effect"
import type { AnswerTo } from "../Command/TaskCommands.ts"
import type { TaskRow } from "../Row/TaskRow.ts"

/** Why an approval did not apply. */
export const whyNotApproved = ({ approves, call }: AnswerTo): string =>
  approves === true && !Predicate.isNotNullable(call)
    ? "its question asks whether a mail may be sent, and your answer does not say which one. Read the question, then "
      + "answer it with its tool_call_id, which is the task's last_tool_call_id (POST /human_response, or `troupe answer`)"
    : "its question asks for an approval that only its creator, its assignee, an owner or an admin may give"

/** Why an answer did not apply. */
export const whyNotAnswered = ({ asks_approval, last_tool_call_id, status }: TaskRow, { approves, call }: AnswerTo) =>
  status !== "waiting_input"
    ? "it does not wait for an answer"
    : Predicate.isNotNullable(call) && call !== last_tool_call_id
    ? "it asks another question by now"
    : asks_approval
    ? whyNotApproved({ approves, call })
    : "its question has changed; answer again"

/** Why a task is not retried. */
export const whyNotRetried = ({ status, task_type }: TaskRow): string =>
  status === "failed" && task_type === "subtask"
    ? "its parent task has ended or has taken its result already; retry the parent instead"
    : "only a failed task can be retried"
