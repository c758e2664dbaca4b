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

const mail = ({ http: { console }, stored }: Settings["Type"]) =>
  OutboxStream.layer(MailChannel.make({
    console,
    get readsAnswers() {
      return Option.isSome(stored.current().mail.inbox)
    }
  })).pipe(Layer.provide(layerAttachedFiles))

const chat = ({ http: { console } }: Settings["Type"]) =>
  OutboxStream.layer(ChatChannel.make({ console })).pipe(
    Layer.provide([layerAttachedFiles, UserRepo.layer])
  )

const webhooks = ({ isHosted }: Settings["Type"]) =>
  OutboxStream.layer(WebhookChannel.make({ isHosted }), { maxActive: 32, firstDelay: "1 second" })

/** Delivers messages: a stream for each channel, each in one process of the cluster. */
export const layer = (settings: Settings["Type"]) =>
  Layer.mergeAll(
    mail(settings),
    chat(settings),
    webhooks(settings),
    QueueRetention.layer(outboxTable, { job: "outbox_cleanup", days: { done: 30, failed: 90 } }),
    layerSnapshotCleanup
  )
