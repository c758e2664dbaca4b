import type { OutboxMessage } from "@troupe/client"
import { Badge, type Tone } from "../../parts/Badge.tsx"

export const outboxStates: Readonly<Record<OutboxMessage["state"], string>> = {
  pending: "Queued",
  sending: "Sending",
  sent: "Sent",
  failed: "Dead letter"
}

const tones: Readonly<Record<OutboxMessage["state"], Tone>> = {
  pending: "wait",
  sending: "accent",
  sent: "good",
  failed: "bad"
}

export const OutboxState = ({ state }: { readonly state: OutboxMessage["state"] }) => (
  <Badge
    tone={tones[state]}
    title={state === "failed" ? "It could not be delivered and is sent again only if you retry it" : undefined}
  >
    {outboxStates[state]}
  </Badge>
)
