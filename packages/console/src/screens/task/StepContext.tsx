import { useQuery } from "@tanstack/react-query"
import type { Message } from "@troupe/client"
import { useState } from "react"
import { Button } from "../../parts/Button.tsx"
import { Loaded } from "../../parts/Loaded.tsx"
import { plural } from "../../parts/Plural.ts"
import { contextQuery, replacedQuery } from "../../service/StepQueries.ts"
import { Conversation } from "./Conversation.tsx"
import { SentPrompt } from "./SentPrompt.tsx"

const List = ({ entries, title }: { readonly title: string; readonly entries: ReadonlyArray<string> }) =>
  entries.length === 0 ? null : (
    <section className="mb-3">
      <h3 className="mb-1 text-xs font-medium text-muted">{title}</h3>
      <ul className="list-disc pl-5">{entries.map((entry) => <li key={entry}>{entry}</li>)}</ul>
    </section>
  )

/** What a summary replaced, on demand. */
const Replaced = ({ count, taskId }: { readonly taskId: string; readonly count: number }) => {
  const [isOpen, setIsOpen] = useState(false)
  const query = useQuery({ ...replacedQuery(taskId, count), enabled: isOpen })
  return (
    <div className="mb-3 rounded-md bg-wait-soft px-3 py-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p>A summary replaced {plural(count, "older message")}.</p>
        <Button size="small" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? "Hide them" : "Show them"}
        </Button>
      </div>
      {isOpen && (
        <div className="mt-2 rounded-md bg-surface p-2">
          <Loaded name="messages" query={query}>{(messages) => <Messages messages={messages} />}</Loaded>
        </div>
      )}
    </div>
  )
}

const firstShown = 50

/** The newest messages of a conversation that may have thousands. */
const Messages = ({ messages }: { readonly messages: ReadonlyArray<Message> }) => {
  const [count, setCount] = useState(firstShown)
  const hidden = messages.length - count
  return (
    <>
      {hidden > 0 && (
        <Button size="small" className="mb-2" onClick={() => setCount(count + firstShown)}>
          Show older ones ({hidden} more)
        </Button>
      )}
      <Conversation messages={messages.slice(-count)} />
    </>
  )
}

/** What the model got for this step; `isAfter`: the conversation that it gets after it. */
export const StepContext = ({ isAfter, seq, taskId }: {
  readonly taskId: string
  readonly seq: number
  readonly isAfter: boolean
}) => {
  const query = useQuery(contextQuery(taskId, seq))
  return (
    <Loaded name="context" query={query}>
      {(context) => (
        <>
          {context.replaced > 0 && <Replaced taskId={taskId} count={context.replaced} />}
          {!isAfter && <SentPrompt context={context} />}
          <List title="Skills in the system prompt" entries={context.skills} />
          <List title="Memories in the system prompt" entries={context.memories} />
          <List title="Work steps in the system prompt" entries={context.work_steps} />
          <Messages messages={context.messages} />
        </>
      )}
    </Loaded>
  )
}
