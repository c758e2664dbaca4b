import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { UnattendedWork } from "@troupe/client"
import { HealthBadge } from "../../parts/HealthBadge.tsx"
import { Panel } from "../../parts/Panel.tsx"
import { Time } from "../../parts/Time.tsx"
import { unattendedQuery } from "../../service/UnattendedQueries.ts"

const kinds: Readonly<Record<UnattendedWork["kind"], string>> = {
  schedule: "Schedule",
  webhook_type: "Webhooks",
  mailbox: "Mailbox",
  tool_server: "Tool server"
}

const look = "min-w-0 flex-1 truncate hover:underline"

const Name = ({ id, kind, name }: Pick<UnattendedWork, "id" | "kind" | "name">) => {
  switch (kind) {
    case "schedule":
      return <Link to="/schedules" search={{ schedule: id }} className={look}>{name}</Link>
    case "webhook_type":
      return <Link to="/webhooks" search={{ type: id }} className={look}>{name}</Link>
    case "tool_server":
      return <Link to="/tool-servers" className={look}>{name}</Link>
    case "mailbox":
      return <Link to="/system" className={look}>{name}</Link>
  }
}

/** Unattended work that does not work; nothing while all does. */
export const NeedsAttention = () => {
  const wrong = useQuery(unattendedQuery).data?.filter(({ health }) => health.state !== "ok") ?? []
  if (wrong.length === 0) return null
  return (
    <div className="mx-auto max-w-4xl p-3 pb-0">
      <Panel title="Needs attention">
        <ul className="-m-3 max-h-60 divide-y overflow-y-auto">
          {wrong.map(({ health, id, kind, name }) => (
            <li key={`${kind} ${id}`} className="px-3 py-1.5">
              <p className="flex items-center gap-3">
                <span className="w-24 text-muted">{kinds[kind]}</span>
                <Name id={id} kind={kind} name={name} />
                <HealthBadge health={health} />
                {health.since !== null && <Time at={health.since} className="w-20 text-right text-muted" />}
              </p>
              {health.last_error !== null && (
                <p className="break-words text-muted first-letter:uppercase sm:ml-27">{health.last_error}</p>
              )}
            </li>
          ))}
        </ul>
      </Panel>
    </div>
  )
}
