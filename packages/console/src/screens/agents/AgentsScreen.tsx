import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { AgentSummary } from "@troupe/client"
import { useState } from "react"
import { toast } from "sonner"
import { Body } from "../../parts/Body.tsx"
import { Button } from "../../parts/Button.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Bot, Plus, RefreshCw, TriangleAlert } from "../../parts/Icons.ts"
import { Loaded } from "../../parts/Loaded.tsx"
import { plural } from "../../parts/Plural.ts"
import { problemText } from "../../parts/Problem.tsx"
import { Screen } from "../../parts/Screen.tsx"
import { Tags } from "../../parts/Tags.tsx"
import { agentsQuery, useReloadAgents } from "../../service/AgentQueries.ts"
import { leaving } from "../../service/Leaving.ts"
import { useMayOperate } from "../../service/Rights.ts"
import { AgentEditor } from "./AgentEditor.tsx"
import { emptyAgent } from "./AgentForm.ts"

/** Scans the folders, and tells what changed and which files are no agents. */
const ReloadAgents = () => {
  const reload = useReloadAgents()
  const run = () =>
    reload.mutate(undefined, {
      onSuccess: ({ added, count, errors, removed, updated }) => {
        toast.success(plural(count, "agent"), {
          description: `${added.length} new, ${updated.length} changed, ${removed.length} removed.`
        })
        for (const { message, path } of errors) toast.error(path, { description: message, duration: 20_000 })
      },
      onError: (error) => toast.error("The agents were not reloaded", { description: problemText(error) })
    })
  return (
    <Button disabled={reload.isPending} onClick={run}>
      <RefreshCw aria-hidden /> Reload
    </Button>
  )
}

const AgentRow = ({ agent }: { readonly agent: AgentSummary }) => (
  <li data-entry className="px-3 py-2 hover:bg-raised">
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Link
        to="/agents/$agentName"
        params={{ agentName: agent.name }}
        className="row-target font-medium break-all hover:underline"
      >
        {agent.name}
      </Link>
      <span className="text-xs text-muted">{agent.source === "folder" ? "Your own" : "Built in"}</span>
      {agent.warnings.length > 0 && (
        <span className="inline-flex items-center gap-1 text-xs text-wait" title={agent.warnings.join("\n")}>
          <TriangleAlert aria-hidden className="size-3.5 shrink-0" />
          {plural(agent.warnings.length, "warning")}
        </span>
      )}
    </div>
    <p className="line-clamp-2 break-words text-muted">{agent.description}</p>
    <div className="mt-1">
      <Tags names={[...agent.channels.map((name) => `#${name}`), ...agent.webhooks, ...agent.mailboxes]} />
    </div>
  </li>
)

const AgentsScreen = () => {
  const agents = useQuery(agentsQuery)
  const gone = leaving.use()
  const mayOperate = useMayOperate() === true
  const [isWritten, setIsWritten] = useState(false)
  return (
    <Screen
      title="Agents"
      actions={mayOperate && (
        <>
          <ReloadAgents />
          <Button kind="primary" onClick={() => setIsWritten(true)}>
            <Plus aria-hidden /> New agent
          </Button>
        </>
      )}
    >
      <Body>
        <Loaded name="agents" query={agents}>
          {(all) => {
            const agents = all.filter(({ name }) => !gone.has(`agent.${name}`))
            return agents.length === 0
              ? (
                <Empty icon={Bot} title="No agents yet">
                  <p>An agent is a file with instructions, tools and limits for one kind of work.</p>
                  {mayOperate && (
                    <Button kind="primary" className="mt-3" onClick={() => setIsWritten(true)}>New agent</Button>
                  )}
                </Empty>
              )
              : (
                <ul className="divide-y rounded-lg border bg-surface">
                  {agents.map((agent) => <AgentRow key={agent.name} agent={agent} />)}
                </ul>
              )
          }}
        </Loaded>
      </Body>
      {isWritten && <AgentEditor given={emptyAgent} onClose={() => setIsWritten(false)} />}
    </Screen>
  )
}

export default AgentsScreen
