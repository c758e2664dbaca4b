import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { TaskPreview } from "@troupe/client"
import { GraduationCap, TriangleAlert, Wrench } from "../../parts/Icons.ts"
import { plural } from "../../parts/Plural.ts"
import { problemText } from "../../parts/Problem.tsx"
import { Tags } from "../../parts/Tags.tsx"
import { previewQuery, useSettled } from "../../service/PreviewQueries.ts"
import { MailNote } from "../policy/MailRule.tsx"

const Skills = ({ onLeave, preview: { lacking, skills } }: {
  readonly preview: TaskPreview
  readonly onLeave: () => void
}) => (
  <div className="flex items-start gap-2">
    <GraduationCap aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
    <div className="min-w-0 flex-1">
      {skills.length === 0
        ? <p className="text-muted">No skill matches this request. The agent works without one.</p>
        : (
          <ul aria-label="Skills that match" className="flex flex-wrap gap-x-4 gap-y-1">
            {skills.map(({ description, matched_by, name, score }) => (
              <li key={name} title={description}>
                <Link
                  to="/skills/$skillName"
                  params={{ skillName: name }}
                  className="font-medium underline-offset-2 hover:underline"
                  onClick={onLeave}
                >
                  {name}
                </Link>{" "}
                <span
                  className="text-xs text-muted"
                  title={`How well the request matches the skill: ${score.toFixed(2)} of 1${
                    matched_by.includes("tag") ? ", with a tag of the skill in the request" : ""
                  }`}
                >
                  skill that the agent follows
                </span>
              </li>
            ))}
          </ul>
        )}
      {lacking.map(({ missing, name }) => (
        <p key={name} className="text-xs text-wait">
          <TriangleAlert aria-hidden className="mr-1 inline size-3.5" />
          {name} matches too, but this machine lacks {missing.join(", ")}.
        </p>
      ))}
    </div>
  </div>
)

const Tools = ({ preview: { depends_on_steps, tools, unbound_tools } }: { readonly preview: TaskPreview }) => {
  const servers = [...new Set(tools.flatMap(({ server }) => server ?? []))]
  const builtIn = tools.filter(({ server }) => server === null).length
  const ofServers = tools.length - builtIn
  return (
    <div className="flex items-start gap-2">
      <Wrench aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
      <details className="min-w-0 flex-1">
        <summary className="w-fit">
          The agent may use {plural(builtIn, "built-in tool")}
          {ofServers > 0 && `, ${plural(ofServers, "tool")} of ${plural(servers.length, "tool server")}`}
          {unbound_tools > 0 && (
            <span className="text-muted">, without {unbound_tools} that are far from the request</span>
          )}
        </summary>
        {depends_on_steps && (
          <p className="mt-1 text-xs text-muted">
            Those of tool servers are candidates: the model chooses by the work steps when the task starts.
          </p>
        )}
        <div className="mt-1 flex max-h-40 flex-col gap-1.5 overflow-y-auto">
          {[null, ...servers].map((server) => (
            <div key={server ?? ""}>
              <p className="text-xs text-muted">{server ?? "Built in"}</p>
              <Tags names={tools.filter((tool) => tool.server === server).map(({ name }) => name)} />
            </div>
          ))}
        </div>
      </details>
    </div>
  )
}

/** Which skills and tools the agent would get for what is typed. */
export const SelectionPreview = ({ message, onLeave }: {
  readonly message: string
  readonly onLeave: () => void
}) => {
  const settled = useSettled(message)
  const { data, error } = useQuery(previewQuery(settled))
  if (message.trim() === "") {
    return <p className="text-xs text-muted">As you type, this shows which skills and tools the agent would get.</p>
  }
  return (
    <section aria-label="Skills and tools" aria-live="polite" className="flex min-h-12 flex-col gap-1.5">
      {error !== null && <p className="text-xs text-muted">The selection can’t be shown: {problemText(error)}</p>}
      {data === undefined && error === null && <p className="text-muted">Choosing skills and tools …</p>}
      {data !== undefined && (
        <>
          <Skills preview={data} onLeave={onLeave} />
          <Tools preview={data} />
          {data.tools.some(({ name }) => name === "send_email") && <MailNote message={message} />}
        </>
      )}
    </section>
  )
}
