import { queryOptions } from "@tanstack/react-query"
import type { NewSubscription, SubscriptionDelivery } from "@troupe/client"
import { useChange } from "./Change.ts"
import { pagedQuery } from "./Paged.ts"
import { service } from "./Service.ts"

export const subscriptionsQuery = pagedQuery(["subscriptions"], (page) => service.subscriptions.list(page))

export const subscriptionQuery = (id: string) =>
  queryOptions({ queryKey: ["subscription", id], queryFn: () => service.subscriptions.get(id) })

export const subscriptionDeliveriesQuery = (id: string) =>
  pagedQuery(
    ["subscription", id, "deliveries"],
    (page) => service.subscriptions.deliveries(id, page),
    ({ state }: SubscriptionDelivery) => state === "pending"
  )

const keys = ["subscriptions", "subscription"]

export const useCreateSubscription = () =>
  useChange(keys, (subscription: NewSubscription) => service.subscriptions.create(subscription))
export const useTestSubscription = () => useChange(keys, (id: string) => service.subscriptions.test(id))
export const useResumeSubscription = () => useChange(keys, (id: string) => service.subscriptions.resume(id))
export const useRemoveSubscription = () =>
  useChange(["subscriptions"], (id: string) => service.subscriptions.remove(id))
export const useReplayEvent = (subscriptionId: string) =>
  useChange(keys, (deliveryId: string) => service.subscriptions.replay(subscriptionId, deliveryId))
