import { Schema } from "effect"
import { DoneBy } from "./DoneBy.ts"
import { TaskId, ToolCallId } from "./Ids.ts"
import { MessageView } from "./Message.ts"
import type { Step } from "./Step.ts"
import { AgentType, EndedBy, TaskStatus } from "./Task.ts"
import { Timestamp } from "./Timestamp.ts"

const kinds = [
  "woken",
  "prepared",
  "model",
  "started",
  "dispatched",
  "results",
  "compacted",
  "forced",
  "steered",
  "answered",
  "cancelled",
  "retried",
  "crashed",
  "model_failed",
  "interrupted",
  "progressed",
  "failed"
] as const satisfies ReadonlyArray<Step["kind"]>

const Milliseconds = Schema.NullOr(Schema.Number)

/** A step of the journal as the API shows it: everything that a timeline of the task needs. */
export const TaskStep = Schema.Struct({
  seq: Schema.Int.annotations({ description: "Number of the step, from 1" }),
  kind: Schema.Literal(...kinds).annotations({
    description:
      "woken: a worker took the task; prepared: skills and work steps were selected; model: the model answered; "
      + "started: calls with outside effects began; dispatched: subtasks were made; results: tools returned; compacted: older "
      + "messages were replaced by a summary; forced: a limit ended the task; steered: somebody sent a message; answered: "
      + "somebody answered its question; model_failed: a call of the model is made again; interrupted: one was cut off, "
      + "with estimates of its tokens; progressed: a tool server reported "
      + "how far a call is; cancelled, retried, crashed, failed: as their names say"
  }),
  at: Timestamp.annotations({ description: "When the step was journalled, at the end of its work" }),
  duration_ms: Milliseconds.annotations({
    description: "Milliseconds that the model call, or the longest of the tool calls, took; null: nothing was measured"
  }),
  status: Schema.NullOr(TaskStatus).annotations({ description: "Status of the task since this step; null: unchanged" }),
  ended_by: Schema.NullOr(EndedBy).annotations({ description: "Why the task ended with this step; null: it did not" }),
  title: Schema.String.annotations({ description: "What happened, in one line" }),
  text: Schema.NullOr(Schema.String).annotations({
    description: "What the model wrote, the summary, the message, the question or the reason of an end; null: none"
  }),
  by: Schema.NullOr(DoneBy).annotations({
    description:
      "Who sent the message, answered, decided about an approval or cancelled; null: none, or several persons"
  }),
  thinking: Schema.NullOr(Schema.String).annotations({
    description: "What the model thought before it answered, where its provider shows that; null: none"
  }),
  input_tokens: Schema.NullOr(Schema.Int).annotations({ description: "Tokens sent to the model; null: no call" }),
  output_tokens: Schema.NullOr(Schema.Int).annotations({ description: "Tokens that the model wrote; null: no call" }),
  cost: Schema.NullOr(Schema.Finite).annotations({
    description: "Cost of the call by MODEL_PRICES; null: no call, or no price"
  }),
  model: Schema.optionalWith(Schema.NullOr(Schema.String), { default: () => null }).annotations({
    description: "Name of the stored model that answered; null: no call, or the model of the settings"
  }),
  calls: Schema.Array(Schema.Struct({
    id: ToolCallId.annotations({ description: "Id of the call" }),
    name: Schema.String.annotations({ description: "Name of the tool" }),
    arguments: Schema.String.annotations({ description: "What the model wrote as arguments, usually JSON" })
  })).annotations({ description: "Tool calls that the model asked for" }),
  results: Schema.Array(Schema.Struct({
    id: ToolCallId.annotations({ description: "Id of the call" }),
    name: Schema.String.annotations({ description: "Name of the tool" }),
    content: Schema.String.annotations({
      description: "The result of the call; if the call failed, it begins with `Error:`"
    }),
    duration_ms: Schema.Number.annotations({ description: "Milliseconds that the call took" })
  })).annotations({ description: "Results of tool calls" }),
  subtasks: Schema.Array(Schema.Struct({
    call_id: ToolCallId.annotations({ description: "Id of the call" }),
    task_id: TaskId.annotations({ description: "The subtask" }),
    agent_type: AgentType.annotations({ description: "The kind of subagent" })
  })).annotations({ description: "Subtasks that the step made" }),
  until: Schema.NullOr(Timestamp).annotations({
    description: "When the task goes on after this step; null: at once, or on an event"
  }),
  truncated: Schema.Boolean.annotations({
    description: "Whether a text is cut; GET /task/{task_id}/steps/{seq} has the whole texts"
  })
}).annotations({ identifier: "TaskStep" })
export type TaskStep = typeof TaskStep.Type

/** A tool as it was offered to the model. */
export const BoundTool = Schema.Struct({
  name: Schema.String.annotations({ description: "Name of the tool" }),
  description: Schema.String.annotations({ description: "What it does" }),
  parameters: Schema.Unknown.annotations({ description: "JSON Schema of its arguments" })
})

/** What a model call got: the conversation, the system prompt and the tools. */
export const StepContext = Schema.Struct({
  seq: Schema.Int.annotations({ description: "Number of the model step" }),
  messages: Schema.Array(MessageView).annotations({
    description:
      "The messages that the call got, the newest last; a summary is a system message. Results of tools and summaries are "
      + "between the marks that tell the model that they are data"
  }),
  system: Schema.NullOr(Schema.String).annotations({
    description:
      "The system prompt of the call. Texts about other people (colleagues, messages of a channel) are left out. Null if the step is no model call, or if an earlier version made it"
  }),
  tools: Schema.NullOr(Schema.Array(BoundTool)).annotations({
    description: "The tools that the call offered; null where `system` is"
  }),
  replaced: Schema.Int.annotations({
    description: "Older messages that a summary replaced in this call; GET /task/{task_id}/messages?full=true has them"
  }),
  skills: Schema.Array(Schema.String).annotations({
    description: "Skills whose instructions were in the system prompt"
  }),
  memories: Schema.Array(Schema.String).annotations({
    description:
      "Memories that were in the system prompt; none for a reader who is not the task's creator, an owner or admin"
  }),
  work_steps: Schema.Array(Schema.String).annotations({ description: "Work steps that were in the system prompt" })
}).annotations({ identifier: "StepContext" })
export type StepContext = typeof StepContext.Type

export class StepNotFound extends Schema.TaggedError<StepNotFound>()("StepNotFound", {
  task_id: TaskId,
  seq: Schema.String
}) {
  override get message() {
    return `Task ${this.task_id} has no step ${this.seq}.`
  }
}
