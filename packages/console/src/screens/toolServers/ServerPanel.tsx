import { Link } from "@tanstack/react-router"
import type { ToolServerState } from "@troupe/client"
import { cva } from "class-variance-authority"
import { Button, buttonLook } from "../../parts/Button.tsx"
import { CopyButton } from "../../parts/CopyButton.tsx"
import { Delete } from "../../parts/Delete.tsx"
import { HealthBadge } from "../../parts/HealthBadge.tsx"
import { ListTree, Pencil, ShieldAlert } from "../../parts/Icons.ts"
import { Panel } from "../../parts/Panel.tsx"
import { plural } from "../../parts/Plural.ts"
import { Tags } from "../../parts/Tags.tsx"
import { Time } from "../../parts/Time.tsx"
import { useDeleteServer } from "../../service/ToolServerQueries.ts"
import { ServerConnection } from "./ServerConnection.tsx"

const states = {
  connected: "Connected",
  failed: "Not connected",
  disabled: "Disabled",
  connecting: "Connecting …",
  needs_sign_in: "Needs a sign-in"
} as const

const look = cva("font-medium", {
  variants: {
    status: {
      connected: "text-good",
      failed: "text-bad",
      disabled: "text-muted",
      connecting: "text-accent",
      needs_sign_in: "text-wait"
    }
  }
})

const Remove = ({ name }: { readonly name: string }) => (
  <Delete noun="server" label="Delete" change={useDeleteServer()} input={name}>
    <b>{name}</b> is stopped, and its configuration with its secrets is deleted. Agents lose its tools at once.
  </Delete>
)

/** One server: whether it works, its last error, and its tools. */
export const ServerPanel = ({ mayOperate, onEdit, server }: {
  readonly server: ToolServerState
  readonly mayOperate: boolean
  readonly onEdit: () => void
}) => {
  const {
    connected_at,
    error,
    last_error = null,
    name,
    restarts = 0,
    status,
    tool_count,
    tools,
    tools_off = [],
    warnings = []
  } = server
  return (
    <Panel
      title={name}
      actions={
        <span className="flex flex-wrap justify-end gap-x-3">
          <span className="text-muted">{server.transport}</span>
          {restarts > 0 && <span className="text-muted">{plural(restarts, "restart")}</span>}
          {server.health !== undefined && status !== "failed" && <HealthBadge health={server.health} />}
          <span className={look({ status })}>{states[status]}</span>
          {connected_at !== null && status === "connected" && <Time at={connected_at} className="text-muted" />}
        </span>
      }
    >
      <div className="flex flex-col gap-2">
        {error !== null && (
          <div className="flex items-start gap-2 rounded-md bg-bad-soft px-3 py-2">
            <p className="min-w-0 flex-1 self-center font-mono text-xs break-words whitespace-pre-wrap first-letter:uppercase">
              {error}
            </p>
            <CopyButton name={`the error of ${name}`} text={error} />
          </div>
        )}
        {last_error !== null && last_error.message !== error && (
          <p className="break-words whitespace-pre-wrap text-muted">
            Last error, <Time at={last_error.at} />: <span className="font-mono text-xs">{last_error.message}</span>
          </p>
        )}
        {warnings.length > 0 && (
          <ul className="flex flex-col gap-1 rounded-md bg-wait-soft px-3 py-2">
            {warnings.map((warning) => <li key={warning} className="break-words first-letter:uppercase">{warning}</li>)}
          </ul>
        )}
        {tools_off.length > 0 && (
          <p className="flex items-center gap-2 rounded-md border border-wait/40 bg-wait-soft px-3 py-2">
            <ShieldAlert aria-hidden className="size-4 shrink-0 text-wait" />
            {plural(tools_off.length, "tool")} changed or new, and off until you accept: look at the tools.
          </p>
        )}
        <ServerConnection server={server} mayOperate={mayOperate} />
        {tools.length > 0 && <Tags names={tools.slice(0, 20)} />}
        {tools.length === 0 && error === null && <p className="text-muted">It offers no tools now.</p>}
        <div className="flex flex-wrap gap-2">
          <Link to="/tool-servers" search={{ server: name }} replace className={buttonLook()}>
            <ListTree aria-hidden /> {tool_count === 0 ? "Tools" : plural(tool_count, "tool")}
          </Link>
          {mayOperate && (
            <>
              <Button onClick={onEdit}>
                <Pencil aria-hidden /> Change
              </Button>
              <Remove name={name} />
            </>
          )}
        </div>
      </div>
    </Panel>
  )
}
