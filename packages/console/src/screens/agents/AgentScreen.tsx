import { useQuery } from "@tanstack/react-query"
import { getRouteApi, Link, useRouter } from "@tanstack/react-router"
import type { AgentDetail } from "@troupe/client"
import { useState } from "react"
import { Body } from "../../parts/Body.tsx"
import { Button } from "../../parts/Button.tsx"
import { DeleteLater } from "../../parts/DeleteLater.tsx"
import { FactList } from "../../parts/FactList.tsx"
import { Pencil, Plus, TriangleAlert } from "../../parts/Icons.ts"
import { Loaded } from "../../parts/Loaded.tsx"
import { openNewTask } from "../../parts/Overlays.ts"
import { Panel } from "../../parts/Panel.tsx"
import { plural } from "../../parts/Plural.ts"
import { RichText } from "../../parts/RichText.tsx"
import { Screen } from "../../parts/Screen.tsx"
import { Tags } from "../../parts/Tags.tsx"
import { Time } from "../../parts/Time.tsx"
import { agentQuery, agentUsesQuery, useDeleteAgent } from "../../service/AgentQueries.ts"
import { useMayOperate } from "../../service/Rights.ts"
import { AgentEditor } from "./AgentEditor.tsx"
import { formOf, previewOf } from "./AgentForm.ts"
import { AgentPreview } from "./AgentPreview.tsx"

const route = getRouteApi("/agents/$agentName")

const Actions = ({ agent }: { readonly agent: AgentDetail }) => {
  const router = useRouter()
  const mayOperate = useMayOperate() === true
  const [isEdited, setIsEdited] = useState(false)
  const remove = useDeleteAgent()
  return (
    <>
      {mayOperate && agent.source === "folder" && (
        <DeleteLater
          id={`agent.${agent.name}`}
          name={`the agent ${agent.name}`}
          text="Delete"
          send={() => remove.mutateAsync(agent.name)}
          onLeave={() => void router.navigate({ to: "/agents" })}
        />
      )}
      {mayOperate && (
        <Button onClick={() => setIsEdited(true)}>
          <Pencil aria-hidden /> {agent.source === "folder" ? "Edit" : "Edit a copy"}
        </Button>
      )}
      <Button kind="primary" onClick={() => openNewTask({ agent: agent.name })}>
        <Plus aria-hidden /> Try it
      </Button>
      {isEdited && <AgentEditor given={formOf(agent)} onClose={() => setIsEdited(false)} />}
    </>
  )
}

const Warnings = ({ warnings }: { readonly warnings: ReadonlyArray<string> }) => (
  <div className="flex items-start gap-2 rounded-md border border-wait/40 bg-wait-soft px-3 py-2">
    <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-wait" />
    <ul className="min-w-0">
      {warnings.map((warning) => <li key={warning} className="break-words">{warning}</li>)}
    </ul>
  </div>
)

const listed = (names: ReadonlyArray<string> | null, otherwise: string) =>
  names === null ? otherwise : names.length === 0 ? "None" : <Tags names={names} />

const someOf = (names: ReadonlyArray<string>) => names.length === 0 ? null : <Tags names={names} />

const Facts = ({ agent }: { readonly agent: AgentDetail }) => (
  <FactList
    facts={{
      Source: agent.source === "folder" ? "Your own" : "Built in",
      Tools: listed(agent.tools, "All"),
      "Without": someOf(agent.disallowed_tools),
      Skills: listed(agent.skills, "All that fit a request"),
      Memory: agent.memory === "none" ? "None" : "Shared",
      Model: agent.model,
      "Model calls": agent.max_iterations,
      "Token budget": agent.max_tokens_total,
      "Cost limit": agent.max_cost,
      Channels: someOf(agent.channels),
      Webhooks: someOf(agent.webhooks),
      Mailboxes: someOf(agent.mailboxes),
      Revision: <code className="font-mono text-xs">{agent.revision}</code>,
      File: <code className="font-mono text-xs break-all">{agent.path}</code>
    }}
  />
)

/** The revisions that tasks used, each with its text. */
const Uses = ({ agent }: { readonly agent: AgentDetail }) => {
  const uses = useQuery(agentUsesQuery(agent.name))
  return (
    <Panel title="Revisions that tasks used">
      <Loaded name="revisions" query={uses}>
        {(uses) =>
          uses.length === 0 ?
            <p className="text-muted">No task has used it yet.</p> :
            (
              <ul className="flex flex-col gap-2">
                {uses.map(({ content, last_used_at, revision, tasks }) => (
                  <li key={revision}>
                    <details>
                      <summary>
                        <code className="font-mono text-xs">{revision}</code>
                        {revision === agent.revision ? " (now)" : ""}: {plural(tasks, "task")}, last{" "}
                        <Time at={last_used_at} />
                      </summary>
                      <pre
                        tabIndex={0}
                        className="mt-1 max-h-80 overflow-auto rounded-md border bg-raised p-2 text-xs whitespace-pre-wrap"
                      >
                      {content}
                      </pre>
                    </details>
                  </li>
                ))}
              </ul>
            )}
      </Loaded>
      <p className="mt-2">
        <Link to="/tasks" search={{ agent: agent.name }} className="underline">Tasks of this agent</Link>
      </p>
    </Panel>
  )
}

const AgentScreen = () => {
  const { agentName } = route.useParams()
  const agent = useQuery(agentQuery(agentName))
  return (
    <Screen title={agentName} actions={agent.data !== undefined && <Actions agent={agent.data} />}>
      <Body>
        <Loaded name="agent" query={agent}>
          {(agent) => (
            <>
              <p className="text-base break-words">{agent.description}</p>
              {agent.warnings.length > 0 && <Warnings warnings={agent.warnings} />}
              <Panel title="About this agent">
                <Facts agent={agent} />
              </Panel>
              <Panel title="Instructions">
                <RichText text={agent.instructions} />
              </Panel>
              <Panel title="What its tasks have">
                <AgentPreview agent={previewOf(formOf(agent).texts)} />
              </Panel>
              <Uses agent={agent} />
            </>
          )}
        </Loaded>
      </Body>
    </Screen>
  )
}

export default AgentScreen
