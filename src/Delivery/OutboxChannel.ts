import type { UserId } from "@troupe/domain/Ids"
import type { NotificationContent } from "@troupe/domain/Notification"
import type { DeliveryChannel } from "@troupe/domain/Outbox"
import { Context, type Effect, type Option } from "effect"
import type { AttemptFailed, Superseded } from "../Queue/AttemptFailed.ts"
import type { QueueClaim } from "../Queue/Queue.ts"
import type { AttachedFile } from "../Wire/Mail.ts"
import type { OutboxRow } from "./Outbox.ts"

/** A notification, with its text as long as the step has it. */
export interface OutboxNotification extends NotificationContent {
  readonly title: string
  /** The user in whose folder the files of a completion are. */
  readonly filesOf: UserId
}

export type OutboxClaim = QueueClaim & OutboxRow

/** A claimed row with what to send. */
export type ClaimedMessage = OutboxClaim & {
  readonly content:
    | { readonly _tag: "Notification"; readonly notification: OutboxNotification }
    | { readonly _tag: "Payload"; readonly payload: string }
}

/** One way for messages to leave. A call is one attempt; the outbox repeats it. */
export interface OutboxChannel {
  readonly channel: DeliveryChannel
  /**
   * Whether an attempt without a known result is repeated: the receiver or the channel recognises a repeated message.
   */
  readonly mayRepeat?: true
  /** Whether a message is an event for all subscriptions: one for each of them takes its place. */
  readonly isForAll?: (message: OutboxClaim) => boolean
  /**
   * Run `handedOver` before the message leaves the process: if the process then ends, the message is uncertain. It
   * fails if this attempt may not send any more. `keep` stores `progress`, and fails alike. Succeeds with a remark for
   * operators, if there is one.
   */
  readonly deliver: (
    message: ClaimedMessage,
    handedOver: Effect.Effect<void, AttemptFailed | Superseded>,
    keep: (progress: string | null) => Effect.Effect<void, AttemptFailed | Superseded>
  ) => Effect.Effect<string | null, AttemptFailed | Superseded>
}

/** Reads the files that go with a message, from the folder of a user. */
export class AttachedFiles extends Context.Tag("troupe/Delivery/OutboxChannel/AttachedFiles")<AttachedFiles, {
  /** As many as have at most `maxBytes` together; the paths of the others, and of those that are gone, are `missing`. */
  readonly read: (userId: UserId, paths: ReadonlyArray<string>, maxBytes: number) => Effect.Effect<{
    readonly files: ReadonlyArray<AttachedFile>
    readonly missing: ReadonlyArray<string>
  }>
  /** The copy of a file that was made when its message was written. */
  readonly copy: (digest: string) => Effect.Effect<Option.Option<Uint8Array>>
}>() {}
