import type { WebhookDelivery } from "@troupe/client"
import { Badge, type Tone } from "../../parts/Badge.tsx"

export const deliveryStates: Readonly<Record<WebhookDelivery["state"], string>> = {
  pending: "Queued",
  processing: "Processing",
  done: "Done",
  failed: "Failed"
}

const tones: Readonly<Record<WebhookDelivery["state"], Tone>> = {
  pending: "wait",
  processing: "accent",
  done: "good",
  failed: "bad"
}

/** Anybody could have sent it. */
export const Unverified = () => (
  <span title="Unsigned and from elsewhere: anybody may have sent it, so its task has tools that only read">
    <Badge tone="wait">Unverified</Badge>
  </span>
)

export const DeliveryState = ({ state }: { readonly state: WebhookDelivery["state"] }) => (
  <Badge tone={tones[state]}>{deliveryStates[state]}</Badge>
)
