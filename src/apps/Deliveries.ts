import type { WayName } from "@troupe/domain/DeliveryWay"
import { Layer, Option } from "effect"
import * as ChatChannel from "../Delivery/ChatChannel.ts"
import * as MailChannel from "../Delivery/MailChannel.ts"
import { outboxTable } from "../Delivery/Outbox.ts"
import * as OutboxStream from "../Delivery/OutboxStream.ts"
import * as WebhookChannel from "../Delivery/WebhookChannel.ts"
import { layerAttachedFiles, layerSnapshotCleanup } from "../File/Snapshots.ts"
import { UserRepo } from "../People/User/UserRepo.ts"
import * as QueueRetention from "../Queue/QueueRetention.ts"
import type { Settings } from "../Runtime/Settings/Settings.ts"
import { latest } from "./Latest.ts"

const streams = {
  chat: ({ http: { console } }: Settings["Type"]) =>
    OutboxStream.layer(ChatChannel.make({ console })).pipe(
      Layer.provide([layerAttachedFiles, UserRepo.layer])
    ),
  email: ({ http: { console }, stored }: Settings["Type"]) =>
    OutboxStream.layer(
      MailChannel.make(latest(stored, ({ mail }) => ({ console, readsAnswers: Option.isSome(mail.inbox) })))
    ).pipe(Layer.provide(layerAttachedFiles)),
  webhook: ({ isHosted }: Settings["Type"]) =>
    OutboxStream.layer(WebhookChannel.make({ isHosted }), { maxActive: 32, firstDelay: "1 second" })
} satisfies Readonly<Record<WayName, unknown>>

/** Delivers messages: a stream for each channel, each in one process of the cluster. */
export const layer = (settings: Settings["Type"]) =>
  Layer.mergeAll(
    QueueRetention.layer(outboxTable, { job: "outbox_cleanup", days: { done: 30, failed: 90 } }),
    layerSnapshotCleanup,
    ...Object.values(streams).map((stream) => stream(settings))
  )
