import { Badge } from "../../../parts/Badge.tsx"
import {
  BookOpen,
  Brain,
  ChevronDown,
  ChevronRight,
  FileText,
  Folder,
  type Icon,
  LoaderCircle,
  Paperclip,
  Pencil,
  Search,
  Send,
  Wrench
} from "../../../parts/Icons.ts"
import { JsonText } from "../../../parts/JsonView.tsx"
import { RichText } from "../../../parts/RichText.tsx"
import { durationText } from "../../../parts/Time.tsx"
import { useFolds } from "./Folds.ts"
import { SentMail } from "./SentMail.tsx"
import type { ThreadItem, Work } from "./ThreadItem.ts"
import { WholeStep } from "./WholeStep.tsx"
import { groupsOf, isFailed, subjectOf, type WorkGroup } from "./WorkText.ts"

const icons: Readonly<Record<string, Icon>> = {
  attach_file: Paperclip,
  list_directory: Folder,
  memory_save: Brain,
  memory_search: Search,
  read_document: BookOpen,
  read_file: FileText,
  send_email: Send,
  thought: Brain,
  write_file: Pencil
}

/** Calls of one kind that are shown with their arguments and results at once. */
const few = 3

const Texts = ({ entry }: { readonly entry: Work }) =>
  entry._tag === "thought"
    ? <RichText text={entry.text} />
    : (
      <>
        {entry.arguments !== null && entry.name === "send_email" && !entry.isCut && <SentMail text={entry.arguments} />}
        {entry.arguments !== null && (entry.name !== "send_email" || entry.isCut) && (
          <>
            <p className="mb-0.5 text-xs text-muted">Arguments</p>
            <JsonText text={entry.arguments} />
          </>
        )}
        <p className="mt-1.5 mb-0.5 text-xs text-muted">
          Result{entry.millis !== null && entry.millis >= 1 && ` after ${durationText(entry.millis)}`}
        </p>
        {entry.result === null ? <p className="text-muted">No result yet</p> : <JsonText text={entry.result} />}
      </>
    )

const Entry = ({ entry, isOpenAtFirst, taskId }: {
  readonly entry: Work
  readonly taskId: string
  readonly isOpenAtFirst: boolean
}) => {
  const { isOpen, toggle } = useFolds()
  const isShown = isOpen(entry.id) !== isOpenAtFirst
  const Chevron = isShown ? ChevronDown : ChevronRight
  const name = entry._tag === "thought" ? "Thought" : entry.name
  return (
    <li>
      <button
        type="button"
        aria-expanded={isShown}
        className="flex w-full min-w-0 items-center gap-2 rounded-sm py-1 text-left hover:text-text"
        onClick={() => toggle(entry.id)}
      >
        <Chevron aria-hidden className="size-3.5 shrink-0" />
        <span className="shrink-0 font-mono text-xs">{name}</span>
        {entry._tag === "call" && <span className="min-w-0 truncate text-xs">{subjectOf(entry.arguments)}</span>}
        {isFailed(entry) && <Badge tone="bad">Failed</Badge>}
      </button>
      {isShown && (
        <div className="mb-2 ml-5 min-w-0 text-text">
          <Texts entry={entry} />
          {entry.isCut && <WholeStep of={{ seq: entry.seq, taskId }} />}
        </div>
      )}
    </li>
  )
}

/** The name of a tool is no word. */
const capital = (text: string): string => /^\w*_/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1)

const Group = ({ group, id, isFirst, isRunning }: {
  readonly group: WorkGroup
  readonly id: string
  readonly isFirst: boolean
  readonly isRunning: boolean
}) => {
  const { isOpen, toggle } = useFolds()
  const isPending = isRunning && group.entries.some((entry) => entry._tag === "call" && entry.result === null)
  const Icon = isPending ? LoaderCircle : icons[group.kind] ?? Wrench
  return (
    <button
      type="button"
      aria-expanded={isOpen(id)}
      className={`inline-flex min-h-7 min-w-0 items-center gap-1.5 rounded-md px-1.5 text-left hover:bg-raised hover:text-text aria-expanded:bg-raised aria-expanded:text-text ${
        group.entries.some(isFailed) ? "text-bad" : ""
      }`}
      onClick={() => toggle(id)}
    >
      <Icon
        aria-hidden
        className={`size-4 shrink-0 ${isPending ? "animate-spin [animation-duration:3s]" : ""}`}
      />
      {isFirst ? capital(group.text) : group.text}
    </button>
  )
}

/** A run of tool calls by kind; a click shows what each got and returned. */
export const WorkItem = ({ isRunning, item }: {
  readonly item: Extract<ThreadItem, { _tag: "work" }>
  readonly isRunning: boolean
}) => {
  const { isOpen } = useFolds()
  const groups = groupsOf(item.entries)
  const idOf = ({ kind }: WorkGroup) => `${item.id}.${kind}`
  return (
    <div className="-ml-1.5 text-muted">
      <div className="flex flex-wrap items-center gap-x-1">
        {groups.map((group, index) => (
          <Group key={group.kind} group={group} id={idOf(group)} isFirst={index === 0} isRunning={isRunning} />
        ))}
      </div>
      {groups.filter((group) => isOpen(idOf(group))).map((group) => (
        <ul key={group.kind} aria-label={capital(group.text)} className="mt-1 ml-3 border-l pl-3">
          {group.entries.map((entry) => (
            <Entry key={entry.id} entry={entry} taskId={item.taskId} isOpenAtFirst={group.entries.length <= few} />
          ))}
        </ul>
      ))}
    </div>
  )
}
