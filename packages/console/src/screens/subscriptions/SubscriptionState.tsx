import type { Subscription } from "@troupe/client"
import { Badge } from "../../parts/Badge.tsx"
import { Time, useClock } from "../../parts/Time.tsx"

/** Within this time, an event that is not accepted yet is on its way. */
const deliveryMillis = 60_000

export const SubscriptionState = ({ subscription: { active, oldest_pending_at } }: {
  readonly subscription: Subscription
}) => {
  const isLate = useClock((now) => oldest_pending_at !== null && now - Date.parse(oldest_pending_at) >= deliveryMillis)
  if (!active) return <Badge tone="bad">Disabled</Badge>
  if (oldest_pending_at === null || !isLate) {
    return <Badge tone="good">Active</Badge>
  }
  return (
    <span className="flex flex-col items-start">
      <Badge tone="bad" title="It is active, but the oldest queued event is still not accepted">Not accepted</Badge>
      <span className="text-xs text-muted">
        since <Time at={oldest_pending_at} />
      </span>
    </span>
  )
}
