import { defaultUser } from "@troupe/domain/Ids"
import { Duration, Effect, Layer, Option, Stream } from "effect"
import { ChatPlatform } from "../Chat/ChatPlatform.ts"
import { Outbox } from "../Delivery/Outbox.ts"
import { Reminders } from "../Delivery/Reminders.ts"
import { InboundConsumer } from "../Intake/InboundConsumer.ts"
import { inboundTable } from "../Intake/InboundMessage.ts"
import { InboundQueue } from "../Intake/InboundQueue.ts"
import * as Scheduler from "../Intake/Schedule/Scheduler.ts"
import * as DailyDigest from "../Intake/Unattended/DailyDigest.ts"
import * as OutsideMonitor from "../Intake/Unattended/OutsideMonitor.ts"
import * as UnattendedJob from "../Intake/Unattended/UnattendedJob.ts"
import type { WatchedMailbox } from "../Intake/Unattended/UnattendedLook.ts"
import { WebhookHandler } from "../Intake/Webhook/WebhookHandler.ts"
import { Webhooks } from "../Intake/Webhook/Webhooks.ts"
import { WebhookTypes } from "../Intake/Webhook/WebhookTypes.ts"
import * as ChannelJobs from "../People/Channel/ChannelJobs.ts"
import * as QueueRetention from "../Queue/QueueRetention.ts"
import type { Settings } from "../Runtime/Settings/Settings.ts"
import { StoredSettings } from "../Runtime/Settings/StoredSettings.ts"
import * as BulkJob from "../Task/Bulk/BulkJob.ts"
import { Runners, WorkerHealth } from "../Task/Read/Runners.ts"
import { ToolServerSettings } from "../ToolServer/ToolServerSettings.ts"
import { latest } from "./Latest.ts"
import * as TeamChat from "./TeamChat.ts"
import { rulesOf } from "./Tools.ts"

/** Starts what it is given once `isOn`, and keeps it. */
const startedOnce = <E, R>(isOn: () => boolean, started: Layer.Layer<never, E, R>) =>
  Layer.scopedDiscard(Effect.gen(function*() {
    const { changes } = yield* StoredSettings
    const start = Layer.build(started)
    const later = Stream.concat(Stream.void, changes).pipe(
      Stream.filter(isOn),
      Stream.take(1),
      Stream.runDrain,
      Effect.zipRight(start),
      Effect.forkScoped
    )
    yield* isOn() ? start : later
  }))

/** Loaded once there is a mailbox to read. */
const inbox = (settings: Settings["Type"]) =>
  startedOnce(
    () => Option.isSome(settings.stored.current().mail.inbox),
    Layer.unwrapEffect(Effect.flatMap(StoredSettings, ({ changes }) =>
      Effect.promise(() =>
        import("./Inbox.ts").then(({ layer }) => layer(settings, changes))
      )))
  )

/** Failed messages are kept for 30 days at least. */
const inboundRetention = ({ stored }: Settings["Type"]) =>
  Layer.unwrapEffect(Effect.map(StoredSettings, ({ changes }) => {
    const days = () => Duration.toDays(stored.current().webhooks.retention)
    return QueueRetention.layer(
      inboundTable,
      latest(stored, () => ({
        job: "inbound_retention",
        changes: Stream.changes(Stream.map(changes, days)),
        days: { done: days(), failed: Math.max(days(), 30) }
      }))
    )
  }))

/** Looks at what works without anybody who looks, and says what it finds. */
const unattended = (settings: Settings["Type"]) =>
  Layer.mergeAll(
    UnattendedJob.layer({
      admin: settings.isHosted ? null : defaultUser,
      mailbox: () => watchedMailbox(settings)
    }).pipe(
      Layer.provide([webhookTypes(settings), ToolServerSettings.layer({ rules: rulesOf(settings) })])
    ),
    DailyDigest.layer({
      isHosted: settings.isHosted,
      hour: () => Option.getOrNull(settings.stored.current().digest.hour)
    }),
    Option.match(settings.watchdog.url, {
      onNone: () => Layer.empty,
      onSome: (url) =>
        OutsideMonitor.layer(url).pipe(
          Layer.provide(WorkerHealth.layer),
          Layer.provide(Runners.layer(settings.worker.maxActiveTasks))
        )
    })
  ).pipe(Layer.provide(Layer.provide(Reminders.layer, Outbox.layer)))

/** Processes inbound messages: the handlers of the queue, and the jobs that find work. */
export const layer = (settings: Settings["Type"]) =>
  Layer.mergeAll(
    inbox(settings),
    WebhookHandler(webhookSettings(settings)),
    TeamChat.handler(settings),
    inboundRetention(settings),
    BulkJob.layer,
    Layer.unwrapEffect(
      Effect.map(ChatPlatform, (chat) => startedOnce(() => chat.directory !== null, ChannelJobs.layer))
    ),
    Scheduler.layer({ interval: settings.schedules.interval }),
    unattended(settings)
  ).pipe(Layer.provide(InboundConsumer.layer()))

/** The mailbox whose mails become tasks, by the settings now; null: none. */
export const watchedMailbox = ({ mail, stored }: Settings["Type"]): WatchedMailbox | null =>
  Option.match(stored.current().mail.inbox, {
    onNone: () => null,
    onSome: ({ imap: { mailbox, user } }) => ({
      name: mailbox === "INBOX" ? user : `${user}/${mailbox}`,
      intervalMillis: Duration.toMillis(mail.checkInterval)
    })
  })

/** What is set for webhooks and their types now. */
export const webhookSettings = ({ stored }: Settings["Type"]) => latest(stored, ({ webhooks }) => webhooks)

/** Accepts webhooks; needs only the database. */
export const webhooks = (settings: Settings["Type"]) => {
  const { cluster, http, isHosted, stored } = settings
  return Webhooks.layer(latest(stored, ({ webhooks }) => ({
    ...webhooks,
    publicUrl: http.publicUrl,
    isHosted,
    lockExpirationSeconds: Duration.toSeconds(cluster.shardLockExpiration)
  }))).pipe(Layer.provide(InboundQueue.layer))
}

export const webhookTypes = (settings: Settings["Type"]) =>
  WebhookTypes.layer({ publicUrl: settings.http.publicUrl, settings: webhookSettings(settings) })
