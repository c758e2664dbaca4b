import { counter } from "../../Runtime/Metrics.ts"

export const inboxMails = counter(
  "troupe_inbox_mails",
  "Processed mails of the inbox, by their outcome.",
  {
    outcome: ["task", "answer", "message", "continuation", "duplicate", "ignored", "refused", "failed"]
  }
)

export const inboxRetries = counter(
  "troupe_inbox_retries",
  "Attempts to process a mail of the inbox that failed and are repeated."
)
