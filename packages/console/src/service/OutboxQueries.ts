import type { OutboxMessage } from "@troupe/client"
import { useChange } from "./Change.ts"
import { pagedQuery } from "./Paged.ts"
import { service } from "./Service.ts"

export interface OutboxFilter {
  readonly state?: OutboxMessage["state"]
  readonly channel?: OutboxMessage["channel"]
}

export const outboxQuery = ({ channel, state }: OutboxFilter) =>
  pagedQuery(
    ["outbox", channel, state],
    (page) =>
      service.outbox.list({
        ...page,
        ...(state === undefined ? {} : { state }),
        ...(channel === undefined ? {} : { channel })
      }),
    ({ state }: OutboxMessage) => state === "pending" || state === "sending"
  )

export const useRetryMessage = () => useChange(["outbox"], (id: string) => service.outbox.retry(id))
