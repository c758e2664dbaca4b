import type { WorkHealth } from "@troupe/client"
import { Badge } from "./Badge.tsx"
import { absoluteTime } from "./Time.tsx"

const names: Readonly<Record<WorkHealth["state"], string>> = {
  ok: "Ok",
  late: "Late",
  failing: "Failing",
  silent: "Silent"
}

/** What is wrong with unattended work, with the reason on hover; nothing while it works. */
export const HealthBadge = ({ health: { last_error, since, state } }: { readonly health: WorkHealth }) =>
  state === "ok" ? null : (
    <Badge
      tone={state === "failing" ? "bad" : "wait"}
      title={[...(since === null ? [] : [`Since ${absoluteTime(since)}`]), ...(last_error === null ? [] : [last_error])]
        .join(": ")}
    >
      {names[state]}
    </Badge>
  )
