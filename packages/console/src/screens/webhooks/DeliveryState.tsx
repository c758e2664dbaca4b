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

export const DeliveryState = ({ state }: { readonly state: WebhookDelivery["state"] }) => (
  <Badge tone={tones[state]}>{deliveryStates[state]}</Badge>
)
