import type { SubscriptionDelivery } from "@troupe/client"
import { Badge } from "../../parts/Badge.tsx"

const looks = {
  pending: { tone: "wait", name: "Queued" },
  sent: { tone: "good", name: "Accepted" },
  failed: { tone: "bad", name: "Failed" }
} as const

export const EventState = ({ state }: { readonly state: SubscriptionDelivery["state"] }) => (
  <Badge tone={looks[state].tone}>{looks[state].name}</Badge>
)
