import { useQuery } from "@tanstack/react-query"
import { JsonText } from "../../parts/JsonView.tsx"
import { Loading } from "../../parts/Loading.tsx"
import { plural } from "../../parts/Plural.ts"
import { Problem } from "../../parts/Problem.tsx"
import { RichText } from "../../parts/RichText.tsx"
import { contextQuery } from "../../service/StepQueries.ts"

const roles = { assistant: "The agent", system: "System", user: "User" } as const

const List = ({ entries, title }: { readonly title: string; readonly entries: ReadonlyArray<string> }) =>
  entries.length === 0 ? null : (
    <section className="mb-3">
      <h3 className="mb-1 text-xs font-medium text-muted">{title}</h3>
      <ul className="list-disc pl-5">{entries.map((entry) => <li key={entry}>{entry}</li>)}</ul>
    </section>
  )

/** The conversation that the model got for this step. */
export const StepContext = ({ seq, taskId }: { readonly taskId: string; readonly seq: number }) => {
  const { data, error, refetch } = useQuery(contextQuery(taskId, seq))
  if (error !== null) {
    return (
      <Problem
        error={error}
        title="The context could not be loaded"
        onRetry={() => void refetch()}
      />
    )
  }
  if (data === undefined) return <Loading />
  return (
    <>
      {data.replaced > 0 && (
        <p className="mb-3 rounded-md bg-wait-soft px-3 py-2">
          A summary replaced {plural(data.replaced, "older message")} in this call.
        </p>
      )}
      <List title="Skills in the system prompt" entries={data.skills} />
      <List title="Memories in the system prompt" entries={data.memories} />
      <List title="Work steps in the system prompt" entries={data.work_steps} />
      <ol className="flex flex-col gap-2">
        {data.messages.map((message, index) => (
          <li key={index} className="rounded-md border p-2">
            <p className="mb-1 text-xs font-medium text-muted">
              {message.role === "tool" ? `Result of ${message.name}` : roles[message.role]}
            </p>
            {message.role === "tool" ? <JsonText text={message.content} /> : <RichText text={message.content} />}
            {(message.role === "assistant" ? message.tool_calls : []).map((call) => (
              <div key={call.id} className="mt-1">
                <p className="text-xs text-muted">Call of {call.name}</p>
                <JsonText text={call.arguments} />
              </div>
            ))}
          </li>
        ))}
      </ol>
    </>
  )
}
