import type { Task } from "@troupe/client"
import { type ReactNode, useState } from "react"
import { CopyButton } from "../../../parts/CopyButton.tsx"
import { Check, CheckCheck, Paperclip } from "../../../parts/Icons.ts"
import { RichText } from "../../../parts/RichText.tsx"
import { Time } from "../../../parts/Time.tsx"
import { useNameOf } from "../../../service/UserNames.ts"
import { Doer } from "./Doer.tsx"
import type { ThreadItem } from "./ThreadItem.ts"

const bubble = "rounded-lg bg-raised px-4 py-3"

/** Characters, and lines, of a request that are shown at once. */
const firstShown = 1_500
const firstLines = 20

/** The beginning of a long text, and the rest on demand. */
const LongText = ({ text }: { readonly text: string }) => {
  const [isWhole, setIsWhole] = useState(false)
  const lines = text.split("\n")
  const isLong = text.length > firstShown || lines.length > firstLines
  const shown = isLong && !isWhole ? `${lines.slice(0, firstLines).join("\n").slice(0, firstShown)} …` : text
  return (
    <>
      <RichText isTyped text={shown} />
      {isLong && (
        <button
          type="button"
          className="mt-1 text-accent underline underline-offset-2"
          onClick={() => setIsWhole(!isWhole)}
        >
          {isWhole ? "Show less" : "Show all of it"}
        </button>
      )}
    </>
  )
}

const Head = ({ actions, children }: { readonly children: ReactNode; readonly actions?: ReactNode }) => (
  <div className="mb-1 flex min-h-5 items-center justify-between gap-2 text-xs text-muted">
    <span>{children}</span>
    {actions}
  </div>
)

/** What a person, or something in their name, asked for. */
export const RequestItem = ({ task }: { readonly task: Task }) => {
  const nameOf = useNameOf()
  const source = task.webhook_type !== null ? "by a webhook" : task.source === null ? "" : sourceWords[task.source]
  return (
    <section aria-label="Request" className={bubble}>
      <Head
        actions={
          <span className="-my-1.5 -mr-2">
            {task.description !== "" && <CopyButton name="the request as it was sent" text={task.description} />}
          </span>
        }
      >
        <span className="font-medium text-text">
          {task.parent_task_id === null ? nameOf(task.creator) : "The agent"}
        </span>{" "}
        {source} · <Time at={task.created_at} />
      </Head>
      {task.description === ""
        ? <p className="text-muted">{task.title}</p>
        : <LongText text={task.description} />}
      {task.attachments.length > 0 && (
        <ul className="mt-2 flex flex-wrap gap-2 text-xs text-muted">
          {task.attachments.map((name) => (
            <li key={name} className="inline-flex min-w-0 items-center gap-1">
              <Paperclip aria-hidden className="size-3.5 shrink-0" />
              <span className="break-all">{name}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const sourceWords: Readonly<Record<NonNullable<Task["source"]>, string>> = {
  chat: "in the chat",
  email: "by mail",
  schedule: "by a schedule",
  webhook: "by a webhook"
}

/** A message to the running task. */
export const MessageItem = ({ item: { at, by, isRead, text } }: {
  readonly item: Extract<ThreadItem, { _tag: "message" }>
}) => (
  <section aria-label="Message" className={`${bubble} ml-8 max-sm:ml-4`}>
    <Head
      actions={
        <span className="inline-flex items-center gap-1">
          {isRead ? <CheckCheck aria-hidden className="size-3.5" /> : <Check aria-hidden className="size-3.5" />}
          {isRead ? "Read" : "Sent"}
        </span>
      }
    >
      {isRead ? <Doer by={by} at={at} /> : (
        <>
          <span className="font-medium text-text">You</span> · <Time at={at} />
        </>
      )}
    </Head>
    <LongText text={text} />
  </section>
)
