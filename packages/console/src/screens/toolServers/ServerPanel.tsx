import type { ToolServerState } from "@troupe/client"
import { cva } from "class-variance-authority"
import { ShieldAlert } from "lucide-react"
import { Button } from "../../parts/Button.tsx"
import { CopyButton } from "../../parts/CopyButton.tsx"
import { Panel } from "../../parts/Panel.tsx"
import { plural } from "../../parts/Plural.ts"
import { Tags } from "../../parts/Tags.tsx"
import { Time } from "../../parts/Time.tsx"

const states = {
  connected: "Connected",
  failed: "Not connected",
  disabled: "Disabled",
  connecting: "Connecting …"
} as const

const look = cva("font-medium", {
  variants: {
    status: { connected: "text-good", failed: "text-bad", disabled: "text-muted", connecting: "text-accent" }
  }
})

const reasons = { changed: "its definition changed", new: "it was not there before" } as const

/** Tools that agents can't use until a person has accepted them. */
const Held = ({ onConfigure, tools }: {
  readonly tools: NonNullable<ToolServerState["tools_off"]>
  readonly onConfigure: () => void
}) => (
  <div className="flex items-start gap-2 rounded-md border border-wait/40 bg-wait-soft px-3 py-2">
    <ShieldAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-wait" />
    <div className="min-w-0 flex-1">
      <p className="font-medium">{plural(tools.length, "tool")} off until you accept the changes</p>
      <ul>
        {tools.map(({ name, reason }) => (
          <li key={name} className="break-words">
            <code className="font-mono text-xs">{name}</code>: {reasons[reason]}
          </li>
        ))}
      </ul>
      <p className="text-muted">
        Check the server, then save the configuration again: that accepts its tools as they are.
      </p>
    </div>
    <Button size="small" onClick={onConfigure}>Accept …</Button>
  </div>
)

/** One server: whether it works, its last error, and its tools. */
export const ServerPanel = ({ onConfigure, server }: {
  readonly server: ToolServerState
  readonly onConfigure: () => void
}) => {
  const { connected_at, error, name, status, tool_count, tools, tools_off = [], transport } = server
  return (
    <Panel
      title={name}
      actions={
        <span className="flex flex-wrap justify-end gap-x-3">
          <span className="text-muted">{transport}</span>
          {connected_at !== null && status === "connected" && (
            <span className="text-muted">
              since <Time at={connected_at} />
            </span>
          )}
          <span className={look({ status })}>{states[status]}</span>
        </span>
      }
    >
      <div className="flex flex-col gap-2">
        {error !== null && (
          <div className="flex items-start gap-2 rounded-md bg-bad-soft px-3 py-2">
            <p className="min-w-0 flex-1 font-mono text-xs break-words whitespace-pre-wrap">{error}</p>
            <CopyButton name={`the error of ${name}`} text={error} />
          </div>
        )}
        {tools_off.length > 0 && <Held tools={tools_off} onConfigure={onConfigure} />}
        {tools.length > 0 && (
          <details open={tools.length <= 20}>
            <summary className="w-fit text-muted hover:text-text">{plural(tool_count, "tool")} for agents</summary>
            <div className="mt-2">
              <Tags names={tools} />
            </div>
          </details>
        )}
        {tools.length === 0 && error === null && <p className="text-muted">It offers no tools now.</p>}
      </div>
    </Panel>
  )
}
