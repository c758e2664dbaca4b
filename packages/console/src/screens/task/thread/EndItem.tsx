import type { Task } from "@troupe/client"
import { CopyButton } from "../../../parts/CopyButton.tsx"
import { isCut } from "../../../parts/EndedBy.ts"
import { moneyText, numberText } from "../../../parts/Numbers.ts"
import { RichText } from "../../../parts/RichText.tsx"
import { StatusBadge } from "../../../parts/StatusBadge.tsx"
import { Duration, Time } from "../../../parts/Time.tsx"
import { ResultFiles } from "./ResultFiles.tsx"
import type { ThreadItem } from "./ThreadItem.ts"

const Figures = ({ task }: { readonly task: Task }) => {
  const { total } = task.usage
  return (
    <>
      <span title="From its creation on, with waits and the time before retries">
        <Duration from={task.created_at} to={task.completed_at} />
      </span>
      <span title="With all subtasks">{numberText(total.input_tokens + total.output_tokens)} tokens</span>
      {total.cost !== null && <span title="With all subtasks">{moneyText(total.cost)}</span>}
      {task.completed_at !== null && <Time at={task.completed_at} />}
    </>
  )
}

/** What the task came to: its result as a document, its files, and how it ended. */
export const EndItem = (
  { item: { task, text: lastText } }: { readonly item: Extract<ThreadItem, { _tag: "end" }> }
) => {
  // Lists of subtasks have no outputs: the last step has the text.
  const outputs = task.outputs.flatMap(({ content }) => content ?? []).join("\n\n")
  const text = outputs === "" && task.status === "completed" ? lastText ?? "" : outputs
  const reason = task.ended_by === "cancelled" ? task.error?.replace(/^Cancelled[^:.]*[:.]?\s*/, "") ?? "" : ""
  const title = isCut(task.ended_by) ? "Result so far" : "Result"
  return (
    <div className="flex flex-col gap-3">
      {text !== "" && (
        <section aria-label={title} className="rounded-lg border bg-surface">
          <header className="flex min-h-10 items-center justify-between border-b pr-2 pl-5">
            <h2 className="font-semibold">{title}</h2>
            <CopyButton name="the result" text={text} />
          </header>
          <div className="document px-5 py-4">
            <RichText text={text} />
          </div>
        </section>
      )}
      <ResultFiles task={task} />
      {task.error !== null && task.ended_by !== "cancelled" && (
        <section aria-label="Error" className="rounded-lg border border-bad/40 bg-bad-soft px-4 py-3">
          <p className="break-words whitespace-pre-wrap text-bad">{task.error}</p>
        </section>
      )}
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
        <StatusBadge task={task} />
        {reason !== "" && <span className="min-w-0 break-words">Reason: {reason}</span>}
        <Figures task={task} />
      </p>
    </div>
  )
}
