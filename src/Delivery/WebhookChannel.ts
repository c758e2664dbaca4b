import type { SqlClient } from "@effect/sql/SqlClient"
import type { TaskId } from "@troupe/domain/Ids"
import { SubscriptionId } from "@troupe/domain/Subscription"
import { Clock, Effect, Either, Option, type Scope } from "effect"
import { AttemptFailed } from "../Queue/AttemptFailed.ts"
import { retryAfterOf } from "../Runtime/RetryAfter.ts"
import { Sealing } from "../Runtime/Sealing.ts"
import { makeWebhookClient, type WebhookAnswer, type WebhookClientOptions } from "../Wire/WebhookClient.ts"
import { allSubscriptions } from "./Outbox.ts"
import type { ClaimedMessage, OutboxChannel } from "./OutboxChannel.ts"
import { makeSubscriptionRepo, type SubscriptionTarget, whyNotServed } from "./SubscriptionRepo.ts"
import { type EventPost, hopsHeader, makeEventPosts, secretPlace, signatureHeaders } from "./WebhookEvents.ts"

export interface WebhookChannelOptions extends Partial<WebhookClientOptions> {
  /** In hosted mode events go to those only who may see them as members of the team. */
  readonly isHosted: boolean
  /** After them the subscription is disabled. With the delays of the outbox, 28 take about a day. */
  readonly maxAttempts?: number
}

/** Services that are subscribed to each other would otherwise post and start tasks for ever. */
const maxHops = 3

/** Posts events of tasks, signed by Standard Webhooks. Receivers recognise a repeated event by its id. */
export const make = (
  { isHosted, maxAttempts = 28, publicOnly = isHosted, ...options }: WebhookChannelOptions
): Effect.Effect<OutboxChannel, never, Scope.Scope | Sealing | SqlClient> =>
  Effect.gen(function*() {
    const send = yield* makeWebhookClient({ publicOnly, ...options })
    const eventPost = yield* makeEventPosts
    const repo = yield* makeSubscriptionRepo
    const sealing = yield* Sealing

    const targetOf = (id: SubscriptionId, taskId: TaskId | null) =>
      repo.target(id, taskId).pipe(
        Effect.flatten,
        Effect.mapError(() => refused("The subscription was deleted.")),
        Effect.filterOrFail(
          ({ disabledReason }) => disabledReason === null,
          ({ disabledReason }) => refused(`The subscription is not active: ${disabledReason}`)
        ),
        Effect.tap(({ isOwnTask, ownerRole, tasks }) => {
          const reason = isHosted ? whyNotServed(ownerRole, tasks) : null
          if (reason !== null) return Effect.zipRight(repo.disable(id, reason), refused(`Not posted: ${reason}.`))
          return tasks === "all" || isOwnTask ? Effect.void : refused(notOwn)
        })
      )

    const headersOf = (
      id: SubscriptionId,
      { secret }: SubscriptionTarget,
      message: ClaimedMessage,
      { body, hops }: EventPost
    ) =>
      Either.match(sealing.open(secret, secretPlace(id)), {
        onLeft: () => later("SECRETS_KEY does not decrypt the subscription's secret: restore it, or subscribe anew."),
        onRight: (secret) =>
          Effect.map(
            Clock.currentTimeMillis,
            (now) => ({
              ...signatureHeaders(secret, { id: message.id, epochSeconds: Math.floor(now / 1000), body }),
              [hopsHeader]: String(hops + 1)
            })
          )
      })

    const post = Effect.fnUntraced(function*(subscription: SubscriptionId, message: ClaimedMessage) {
      const target = yield* targetOf(subscription, message.task_id)
      const event = yield* eventOf(message)
      const headers = yield* headersOf(subscription, target, message, event)
      const answer = yield* send(target.url, event.body, headers).pipe(
        Effect.catchTag("WebhookFailed", ({ kind, reason }) => kind === "refused" ? refused(reason) : later(reason))
      )
      if (answer.status >= 200 && answer.status < 300) return
      if (answer.status === 410) {
        yield* repo.disable(subscription, "The receiver responded with 410 Gone.")
        return yield* refused("The receiver responded with 410 Gone, which disables the subscription.")
      }
      return yield* Effect.flatMap(Clock.currentTimeMillis, (now) => notAccepted(answer, now))
    })

    const eventOf = ({ content, kind, task_id: taskId }: ClaimedMessage) =>
      content._tag === "Notification"
        ? refused("A notification can't be posted as an event.")
        : eventPost({ kind, task_id: taskId, payload: content.payload }).pipe(
          Effect.flatten,
          Effect.mapError(() => refused("The task was deleted.")),
          Effect.filterOrFail(({ hops }) => hops < maxHops, () => refused(looping))
        )

    const disabledAfterLast = (subscription: SubscriptionId, { attempts }: ClaimedMessage, failure: AttemptFailed) =>
      failure.kind !== "later" || attempts < maxAttempts ? failure : Effect.zipRight(
        repo.disable(subscription, `${attempts} attempts to post an event failed. The last one: ${failure.reason}`),
        refused(failure.reason)
      )

    return {
      channel: "webhook",
      mayRepeat: true,
      isForAll: ({ recipient }) => recipient === allSubscriptions,
      deliver: Effect.fn("WebhookChannel.deliver")(function*(message, handedOver) {
        const subscription = SubscriptionId.make(message.recipient)
        yield* handedOver
        yield* Effect.catchAll(
          post(subscription, message),
          (failure) => disabledAfterLast(subscription, message, failure)
        )
        return null
      })
    }
  })

const { later, refused } = AttemptFailed

const notOwn =
  "Not posted: the subscription is for own tasks, and its user is neither creator nor assignee of this one."

const looping =
  `Not posted: ${maxHops} webhooks of Troupe in a row led to the task. Are services subscribed to each other?`

const notAccepted = ({ excerpt, headers, status }: WebhookAnswer, now: number) => {
  const said = excerpt === "" ? "" : `: ${excerpt}`
  const redirect = status >= 300 && status < 400 ? "; redirects are not followed" : ""
  const asked = status === 429 || status === 503 ? Option.fromNullable(retryAfterOf(headers, "", now)) : Option.none()
  return later(`The receiver responded with ${status}${redirect}${said}`, asked)
}
