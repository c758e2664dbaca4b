import { Link } from "@tanstack/react-router"
import type { Notification } from "@troupe/client"
import { Button } from "../../parts/Button.tsx"
import { Check, CircleCheck, CircleHelp, CircleX, Gauge } from "../../parts/Icons.ts"
import { RichText } from "../../parts/RichText.tsx"
import { isCut } from "../../parts/StatusBadge.tsx"
import { Time } from "../../parts/Time.tsx"
import { type InboxEntry, kindOf, taskIdOf } from "../../service/InboxQueries.ts"
import { AnswerFields } from "../task/AnswerFields.tsx"
import { RetryButton } from "../task/RetryButton.tsx"
import { WaitText } from "../task/WaitText.tsx"
import { RecentSteps } from "./RecentSteps.tsx"

/** Agents write Markdown; the words of a reminder and the reason of a failure are plain text. */
const isTyped = ({ kind }: Notification): boolean => kind === "reminder" || kind === "failure"

/** A question with its answer, a failure with its reason, or a result; without `onDone` it stays until its person has seen it. */
export const EntryCard = ({ entry, isCurrent, onDone }: {
  readonly entry: InboxEntry
  readonly isCurrent: boolean
  readonly onDone: (() => void) | undefined
}) => {
  const isQuestion = entry._tag === "question"
  const isFailure = kindOf(entry) === "failure"
  const taskId = taskIdOf(entry)
  const title = isQuestion ? entry.task.title : entry.notification.title
  const isStopped = !isQuestion && isCut(entry.notification.ended_by)
  const Icon = isQuestion ? CircleHelp : isFailure ? CircleX : isStopped ? Gauge : CircleCheck
  const tone = isQuestion || isStopped ? "text-wait" : isFailure ? "text-bad" : "text-good"
  return (
    <article
      tabIndex={-1}
      className={`rounded-lg border bg-surface ${isCurrent ? "border-accent outline outline-accent" : ""}`}
    >
      <header className="flex min-h-10 items-center gap-2 border-b px-3 py-1 max-sm:flex-wrap">
        <Icon aria-hidden className={`size-4 shrink-0 ${tone}`} />
        <h2 className="min-w-0 flex-1 font-semibold break-words sm:truncate">
          {taskId === null
            ? title
            : <Link to="/tasks/$taskId" params={{ taskId }} className="hover:underline">{title}</Link>}
        </h2>
        {isQuestion && entry.task.waiting_for !== null && (
          <span className="truncate text-xs text-muted max-sm:order-last max-sm:basis-full">
            <WaitText wait={entry.task.waiting_for} />
          </span>
        )}
        <Time at={entry.at} className="shrink-0 text-xs text-muted" />
        {isFailure && taskId !== null && <RetryButton size="small" taskId={taskId} />}
        {!isQuestion && onDone !== undefined && (
          <Button size="small" kind="ghost" title="Mark as seen (e)" onClick={onDone}>
            <Check aria-hidden /> Seen
          </Button>
        )}
      </header>
      <div className="p-3">
        {isQuestion ?
          (
            <>
              <RecentSteps task={entry.task} />
              <AnswerFields task={entry.task} />
            </>
          ) :
          (
            <div
              className="max-h-60 overflow-y-auto"
              tabIndex={0}
              role="group"
              aria-label={isFailure ? "Reason" : "Result"}
            >
              <RichText isTyped={isTyped(entry.notification)} text={entry.notification.body} />
            </div>
          )}
      </div>
    </article>
  )
}
