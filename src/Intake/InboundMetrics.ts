import { counter, gauge, open } from "../Runtime/Metrics.ts"

export const inboundAccepted = counter(
  "troupe_inbound_accepted",
  "Messages from outside that were committed to the queue, and repeated deliveries, which change nothing.",
  { source: open, delivery: ["new", "repeated"] }
)

export const inboundProcessed = counter(
  "troupe_inbound_processed",
  "Attempts to process a message from outside, by their result.",
  { source: open, result: ["done", "retried", "failed"] }
)

export const inboundUnfinished = gauge(
  "troupe_inbound_unfinished",
  "Messages from outside that are not processed yet, as this process last counted them.",
  { source: open }
)

export const inboundOldestSeconds = gauge(
  "troupe_inbound_oldest_seconds",
  "Age of the oldest message from outside that is not processed yet, as this process last counted them.",
  { source: open }
)
