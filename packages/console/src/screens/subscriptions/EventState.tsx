import type { SubscriptionDelivery } from "@troupe/client"
import { Badge } from "../../parts/Badge.tsx"

const looks = {
  pending: { tone: "wait", name: "Queued" },
  retrying: { tone: "bad", name: "Retrying" },
  sent: { tone: "good", name: "Accepted" },
  failed: { tone: "bad", name: "Failed" }
} as const

/** An event that the receiver refused before is more than queued. */
export const EventState = ({ delivery: { attempts, last_error, state } }: {
  readonly delivery: SubscriptionDelivery
}) => {
  const { name, tone } = looks[state === "pending" && attempts > 0 && last_error !== null ? "retrying" : state]
  return <Badge tone={tone} title={last_error ?? undefined}>{name}</Badge>
}
