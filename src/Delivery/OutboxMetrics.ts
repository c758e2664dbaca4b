import { DeliveryChannel } from "@troupe/domain/Outbox"
import { counter, gauge } from "../Runtime/Metrics.ts"

const channels = DeliveryChannel.literals

export const outboxAttempts = counter(
  "troupe_outbox_attempts",
  "Attempts to deliver a message, by their result.",
  { channel: channels, result: ["sent", "retried", "failed"] }
)

export const outboxWaiting = gauge(
  "troupe_outbox_waiting",
  "Messages that are not sent yet, as the process that delivers them last counted them.",
  { channel: channels }
)

export const outboxOldestSeconds = gauge(
  "troupe_outbox_oldest_seconds",
  "Age of the oldest message that is not sent yet, as the process that delivers them last counted them.",
  { channel: channels }
)

export const outboxDeadLetters = gauge(
  "troupe_outbox_dead_letters",
  "Messages that are not retried any more (dead letters), as the process that delivers them last counted them.",
  { channel: channels }
)
