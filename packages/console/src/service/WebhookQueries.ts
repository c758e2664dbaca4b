import { queryOptions } from "@tanstack/react-query"
import type { WebhookDelivery } from "@troupe/client"
import { useChange } from "./Change.ts"
import { pagedQuery } from "./Paged.ts"
import { service } from "./Service.ts"

export interface DeliveryFilter {
  readonly state?: WebhookDelivery["state"]
  readonly type?: string
  readonly source?: string
}

export const deliveriesQuery = ({ source, state, type }: DeliveryFilter) =>
  pagedQuery(
    ["webhooks", source, type, state],
    (page) =>
      service.webhooks.deliveries({
        ...page,
        ...(state === undefined ? {} : { state }),
        ...(type === undefined ? {} : { type }),
        ...(source === undefined ? {} : { source })
      }),
    ({ state }: WebhookDelivery) => state === "pending" || state === "processing"
  )

/** A delivery with its headers and payload. */
export const deliveryQuery = (id: string) =>
  queryOptions({ queryKey: ["webhooks", "one", id], queryFn: () => service.webhooks.delivery(id) })

/** The delivery that became the task. */
export const deliveryOfTaskQuery = (taskId: string) =>
  queryOptions({
    queryKey: ["deliveryOfTask", taskId],
    staleTime: Infinity,
    queryFn: async () => (await service.webhooks.deliveries({ task_id: taskId, limit: 1 })).items[0] ?? null
  })

export const useReplayDelivery = () => useChange(["webhooks"], (id: string) => service.webhooks.replay(id))
