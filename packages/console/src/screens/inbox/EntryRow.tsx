import { Link } from "@tanstack/react-router"
import type { Notification } from "@troupe/client"
import { memo } from "react"
import { Button } from "../../parts/Button.tsx"
import { isCut } from "../../parts/EndedBy.ts"
import { firstWords } from "../../parts/FirstWords.ts"
import {
  Check,
  ChevronDown,
  ChevronRight,
  CircleAlert,
  CircleCheck,
  CircleHelp,
  CircleX,
  Gauge
} from "../../parts/Icons.ts"
import { RichText } from "../../parts/RichText.tsx"
import { Time } from "../../parts/Time.tsx"
import { type InboxEntry, taskIdOf } from "../../service/InboxQueries.ts"
import { AnswerFields } from "../task/AnswerFields.tsx"
import { RetryButton } from "../task/RetryButton.tsx"
import { WaitText } from "../task/WaitText.tsx"
import type { InboxRow } from "./InboxRows.ts"
import { RecentSteps } from "./RecentSteps.tsx"

/** Agents write Markdown; the words of a reminder and the reason of a failure are plain text. */
const isTyped = ({ kind }: Notification): boolean => kind !== "completion" && kind !== "question"

const titleOf = (entry: InboxEntry): string => entry._tag === "question" ? entry.task.title : entry.notification.title

const summaryOf = (entry: InboxEntry): string =>
  firstWords(entry._tag === "question" ? entry.task.question ?? "" : entry.notification.body)

const isAlarm = (entry: InboxEntry): boolean => entry._tag === "notification" && entry.notification.kind === "alarm"

const isStopped = (entry: InboxEntry): boolean => entry._tag === "notification" && isCut(entry.notification.ended_by)

const Body = ({ entry }: { readonly entry: InboxEntry }) =>
  entry._tag === "question"
    ? (
      <>
        <RecentSteps task={entry.task} />
        <AnswerFields hasKeys task={entry.task} />
      </>
    )
    : (
      <div
        className="max-h-[50vh] overflow-y-auto"
        tabIndex={0}
        role="group"
        aria-label={entry.notification.kind === "failure" ? "Reason" : "Result"}
      >
        <RichText isTyped={isTyped(entry.notification)} text={entry.notification.body} />
      </div>
    )

/** What a task asks, came to or failed with, in one line that opens; without `onDone` it stays until its person has seen it. */
export const EntryRow = memo(({ isCurrent, isOpen, onDone, onToggle, row }: {
  readonly row: InboxRow
  readonly isCurrent: boolean
  readonly isOpen: boolean
  readonly onToggle: (row: InboxRow) => void
  readonly onDone: ((row: InboxRow) => void) | undefined
}) => {
  const { entries, kind } = row
  const newest = entries.at(-1) ?? entries[0]
  const wasStopped = isStopped(newest)
  const isWaiting = kind === "question" || wasStopped || isAlarm(newest)
  const Icon = kind === "question"
    ? CircleHelp
    : wasStopped
    ? Gauge
    : kind === "failure"
    ? CircleX
    : isAlarm(newest)
    ? CircleAlert
    : CircleCheck
  const tone = isWaiting ? "text-wait" : kind === "failure" ? "text-bad" : "text-good"
  const Chevron = isOpen ? ChevronDown : ChevronRight
  const taskId = taskIdOf(newest)
  return (
    <article
      className={`border-b bg-surface ${isOpen ? "relative border-l-2 border-l-accent" : ""} ${
        isCurrent && !isOpen ? "outline outline-accent outline-offset-[-1px]" : ""
      }`}
    >
      <h3>
        <button
          type="button"
          aria-expanded={isOpen}
          className="flex min-h-10 w-full min-w-0 items-center gap-2 px-3 text-left outline-offset-[-2px] hover:bg-raised"
          onClick={() => onToggle(row)}
        >
          <Chevron aria-hidden className="size-3.5 shrink-0 text-muted" />
          <Icon aria-hidden className={`size-4 shrink-0 ${tone}`} />
          <span className="min-w-0 flex-1 truncate">
            <span className="font-medium">{titleOf(newest)}</span>
            {!isOpen && <span className="text-muted max-sm:hidden">{" "}– {summaryOf(newest)}</span>}
          </span>
          {entries.length > 1 && <span className="shrink-0 text-xs text-muted">{entries.length} times</span>}
          <Time at={entries[0].at} className="shrink-0 text-xs text-muted" />
        </button>
      </h3>
      {isOpen && (
        <div className="flex flex-col gap-3 px-4 pt-1 pb-4">
          <div className="flex flex-wrap items-center gap-2 text-xs text-muted">
            <span className="mr-auto min-w-0">
              {newest._tag === "question" && newest.task.waiting_for !== null && (
                <WaitText wait={newest.task.waiting_for} />
              )}
            </span>
            {taskId !== null && (
              <Link
                to="/tasks/$taskId"
                params={{ taskId }}
                className="inline-flex min-h-6 items-center text-accent underline underline-offset-2"
              >
                {wasStopped ? "Open the task to let it go on" : "Open the task"}
              </Link>
            )}
            {kind === "failure" && !wasStopped && taskId !== null && <RetryButton size="small" taskId={taskId} />}
            {kind !== "question" && onDone !== undefined && (
              <Button
                size="small"
                title="Mark as seen (e)"
                onClick={() => onDone(row)}
              >
                <Check aria-hidden /> Seen
              </Button>
            )}
          </div>
          {entries.map((entry) => (
            <div key={entry.id} className="min-w-0">
              <Body entry={entry} />
            </div>
          ))}
        </div>
      )}
    </article>
  )
})
