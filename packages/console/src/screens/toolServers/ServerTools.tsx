import { useQuery } from "@tanstack/react-query"
import type { ToolServerState, ToolServerTool } from "@troupe/client"
import { Badge } from "../../parts/Badge.tsx"
import { Button } from "../../parts/Button.tsx"
import { Details } from "../../parts/Details.tsx"
import { ShieldAlert } from "../../parts/Icons.ts"
import { JsonView } from "../../parts/JsonView.tsx"
import { announced } from "../../parts/Outcome.ts"
import { plural } from "../../parts/Plural.ts"
import { serverToolsQuery, useAcceptTools } from "../../service/ToolServerQueries.ts"
import { ServerConnection } from "./ServerConnection.tsx"
import { ToolTest } from "./ToolTest.tsx"

const states = { usable: null, changed: "Changed, off", new: "New, off" } as const

const Tool = ({ mayTest, server, tool }: {
  readonly server: string
  readonly tool: ToolServerTool
  readonly mayTest: boolean
}) => {
  const { bound_name, description, input_schema, is_read_only, name, state } = tool
  return (
    <details open={state !== "usable"} className="group px-3 py-2">
      <summary className="flex min-h-6 flex-wrap items-center gap-x-2 gap-y-1">
        <span className="font-mono text-xs font-medium break-all group-open:underline">{name}</span>
        {is_read_only && <Badge>Read only</Badge>}
        {states[state] !== null && <Badge tone="wait">{states[state]}</Badge>}
        <span className="min-w-0 flex-1 truncate text-xs text-muted group-open:hidden">{description}</span>
      </summary>
      <div className="mt-1 flex flex-col gap-2">
        <p className="break-words whitespace-pre-wrap">{description || "The server says nothing about it."}</p>
        <p className="text-xs text-muted">
          Agents call it <code className="font-mono break-all">{bound_name}</code>
        </p>
        <JsonView value={input_schema} />
        {mayTest && state === "usable" && <ToolTest server={server} tool={tool} />}
      </div>
    </details>
  )
}

/** What agents can't use until somebody with the right has looked at it. */
const Held = ({ mayOperate, server, tools }: {
  readonly server: string
  readonly tools: ReadonlyArray<ToolServerTool>
  readonly mayOperate: boolean
}) => {
  const accept = useAcceptTools(server)
  if (tools.length === 0) return null
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md border border-wait/40 bg-wait-soft px-3 py-2">
      <ShieldAlert aria-hidden className="size-4 shrink-0 text-wait" />
      <p className="min-w-0 flex-1 basis-64">
        <span className="font-medium">{plural(tools.length, "tool")} off.</span> The server changed or added{" "}
        {tools.length === 1 ? "it" : "them"}{" "}
        after it was accepted. A definition goes to the model: read it as you would read an instruction by a stranger.
      </p>
      {mayOperate && (
        <Button
          disabled={accept.isPending}
          onClick={() =>
            accept.mutate(
              Object.fromEntries(tools.map(({ digest, name }) => [name, digest])),
              announced("Accepted as they were shown", "They were not accepted")
            )}
        >
          Accept {tools.length === 1 ? "it" : `all ${tools.length}`}
        </Button>
      )}
    </div>
  )
}

/** The tools of a server with their schemas; those that are off come first. */
export const ServerTools = ({ mayOperate, onClose, server, state }: {
  readonly server: string
  /** Undefined: it is not known, or there is no such server. */
  readonly state: ToolServerState | undefined
  readonly mayOperate: boolean
  readonly onClose: () => void
}) => (
  <Details
    name="tools"
    titleOf={(tools) => `${server}: ${plural(tools.length, "tool")}`}
    query={useQuery(serverToolsQuery(server))}
    onClose={onClose}
  >
    {(tools) => (
      <div className="flex flex-col gap-3">
        {state !== undefined && <ServerConnection server={state} mayOperate={mayOperate} />}
        <Held server={server} tools={tools.filter(({ state }) => state !== "usable")} mayOperate={mayOperate} />
        {tools.length === 0 && <p className="text-muted">It has not listed any tools since it was configured.</p>}
        {tools.length > 0 && (
          <div className="divide-y rounded-md border">
            {tools.toSorted((one, other) => Number(one.state === "usable") - Number(other.state === "usable"))
              .map((tool) => (
                <Tool
                  key={tool.name}
                  server={server}
                  tool={tool}
                  mayTest={state !== undefined && state.status !== "disabled" &&
                    (mayOperate || state.per_user === true)}
                />
              ))}
          </div>
        )}
      </div>
    )}
  </Details>
)
