import { Duration, Effect, Layer, Option } from "effect"
import { InboundConsumer } from "../Intake/InboundConsumer.ts"
import { inboundTable } from "../Intake/InboundMessage.ts"
import { InboundQueue } from "../Intake/InboundQueue.ts"
import * as Scheduler from "../Intake/Schedule/Scheduler.ts"
import { WebhookHandler } from "../Intake/Webhook/WebhookHandler.ts"
import { Webhooks } from "../Intake/Webhook/Webhooks.ts"
import * as ChannelJobs from "../People/Channel/ChannelJobs.ts"
import * as QueueRetention from "../Queue/QueueRetention.ts"
import type { Settings } from "../Runtime/Settings/Settings.ts"
import * as BulkJob from "../Task/Bulk/BulkJob.ts"
import * as TeamChat from "./TeamChat.ts"

/** Loaded only where mail is read. */
const lazyInbox = (settings: Settings["Type"]) =>
  Layer.unwrapEffect(Effect.promise(() => import("./Inbox.ts").then(({ layer }) => layer(settings))))

/** Failed messages are kept for 30 days at least. */
const inboundRetention = ({ retention }: Settings["Type"]["webhooks"]) => {
  const days = Duration.toDays(retention)
  return QueueRetention.layer(inboundTable, {
    job: "inbound_retention",
    days: { done: days, failed: Math.max(days, 30) }
  })
}

/** Processes inbound messages: the handlers of the queue, and the jobs that find work. */
export const layer = (settings: Settings["Type"]) =>
  Layer.mergeAll(
    Option.isSome(settings.mail.inbox) ? lazyInbox(settings) : Layer.empty,
    WebhookHandler(settings.webhooks),
    TeamChat.handler(settings),
    inboundRetention(settings.webhooks),
    BulkJob.layer,
    ChannelJobs.layer,
    Scheduler.layer({ interval: settings.schedules.interval })
  ).pipe(Layer.provide(InboundConsumer.layer()))

/** Accepts webhooks; needs only the database. */
export const webhooks = ({ cluster, http, isHosted, webhooks }: Settings["Type"]) =>
  Webhooks.layer({
    ...webhooks,
    publicUrl: http.publicUrl,
    isHosted,
    lockExpirationSeconds: Duration.toSeconds(cluster.shardLockExpiration)
  }).pipe(Layer.provide(InboundQueue.layer))
