import type { OutboxId } from "@troupe/domain/Outbox"
import { Effect, ExecutionStrategy, Exit, Layer, Scope } from "effect"
import * as MailChannel from "../../src/Delivery/MailChannel.ts"
import { mailPayloadText } from "../../src/Delivery/MailChannel.ts"
import { newOutboxId, Outbox } from "../../src/Delivery/Outbox.ts"
import type { OutboxChannel } from "../../src/Delivery/OutboxChannel.ts"
import * as OutboxStream from "../../src/Delivery/OutboxStream.ts"
import { layerAttachedFiles } from "../../src/File/Snapshots.ts"
import type { ConsumerOptions } from "../../src/Queue/QueueConsumer.ts"
import * as Smtp from "../../src/Wire/Smtp.ts"
import type { SmtpSettings } from "../../src/Wire/Smtp.ts"
import { eventually } from "./Eventually.ts"
import { localhost } from "./MailServer.ts"
import { Wire } from "./TaskWorld.ts"

/** Delays so short that a test can wait for them. */
export const shortDelays: Partial<ConsumerOptions> = {
  firstDelay: "20 millis",
  pollInterval: "20 millis",
  grace: "1 second"
}

/** Delivers until it is stopped or the test ends. */
export const startStream = <R>(
  channel: Effect.Effect<OutboxChannel, never, R>,
  options: Partial<ConsumerOptions> = {}
) =>
  Effect.gen(function*() {
    const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
    yield* OutboxStream.layer(channel, { ...shortDelays, ...options }).pipe(
      Layer.build,
      Scope.extend(scope)
    )
    return { stop: Scope.close(scope, Exit.void) }
  })

/** The real mail channel and client, for the tests' server. */
export const mailChannel = (settings: SmtpSettings, readsAnswers = true) =>
  MailChannel.make({ console: new URL("https://troupe.example.org/at/console/"), readsAnswers }).pipe(
    Effect.provide([
      layerAttachedFiles,
      Smtp.layer(settings, { ca: localhost, connect: "5 seconds", idle: "2 seconds" })
    ])
  )

export interface OutboxRow {
  readonly id: OutboxId
  readonly channel: string
  readonly recipient: string
  readonly kind: string
  readonly user_id: string | null
  readonly state: string
  readonly attempts: number
  readonly handed_over: boolean
  readonly last_error: string | null
}

export const outboxRows = Effect.flatMap(Wire, ({ query }) => query<OutboxRow>("select * from outbox order by id"))

export const states = Effect.map(outboxRows, (rows) => rows.map(({ state }) => state))

/** Waits until nothing is left to be sent. */
export const settled = eventually(states, (all) => all.every((state) => state === "sent" || state === "failed"))

/** A mail in the outbox. */
export const givenMail = (to: string, subject: string) =>
  Effect.gen(function*() {
    const { enqueue } = yield* Outbox
    const id = yield* newOutboxId
    const payload = mailPayloadText({
      to: [{ name: "", address: to }],
      cc: [],
      subject,
      body: "Hello *you*",
      attachments: []
    })
    yield* enqueue([{ id, channel: "email", recipient: to, kind: "mail", user_id: null, task_id: null, payload }])
    return id
  }).pipe(Effect.provide(Outbox.layer))
