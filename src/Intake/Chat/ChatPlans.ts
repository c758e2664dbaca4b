import { CurrentUser } from "@troupe/api/Authentication"
import type { TaskId, UserId } from "@troupe/domain/Ids"
import { Duration, Effect, Option } from "effect"
import type { MessageEvent } from "../../Chat/ChatEvent.ts"
import { bold, type ChatMessage, saying } from "../../Chat/ChatMessage.ts"
import { ChannelMessages } from "../../People/Channel/ChannelMessages.ts"
import { AttemptFailed } from "../../Queue/AttemptFailed.ts"
import { via } from "../../Task/Command/CurrentVia.ts"
import { type TaskRequest, Tasks } from "../../Task/UseCase/Tasks.ts"
import { type InboundOutcome, noTask } from "../InboundMessage.ts"
import type { ChatContext, Place } from "./ChatContext.ts"
import type { Enclosed } from "./ChatSchedules.ts"
import type { ChatSender } from "./ChatSenders.ts"
import { limitReached, type Said, shortId, taskLine } from "./ChatTexts.ts"
import type { TimedRequest } from "./TimedRequest.ts"

/** What a message or command causes, once it is known; it happens in the transaction that finishes the message. */
export type ChatPlan =
  | { readonly _tag: "Leave" }
  | { readonly _tag: "Post"; readonly at: Place; readonly message: ChatMessage }
  | {
    readonly _tag: "Keep"
    readonly message: Pick<MessageEvent, "at" | "channel" | "id">
    readonly text: string
    readonly userId: UserId
  }
  | {
    readonly _tag: "Schedule"
    readonly at: Place
    readonly request: TimedRequest
    readonly sender: ChatSender
    /** The key of the conversation where results and reminders come. */
    readonly postedTo: string
    readonly enclosed: Enclosed
  }
  /** Unless the sender has reached a limit. With `told`, what became of it is said there; else a failure is retried. */
  | {
    readonly _tag: "Submit"
    readonly submission: TaskRequest
    readonly sender: ChatSender
    readonly limited: ChatPlan
    readonly told: Place | null
  }
  | {
    readonly _tag: "Tell"
    readonly task: TaskId
    readonly text: string
    readonly by: UserId
    readonly isAnswer: boolean
    readonly decision: { readonly approves?: boolean; readonly call: string | null }
    readonly told: Place | null
  }
  | { readonly _tag: "Cancel"; readonly task: TaskId; readonly by: UserId; readonly told: Place }
  /** Only in the first transaction that takes the claim. */
  | { readonly _tag: "Once"; readonly claim: string; readonly lifetime: Duration.Duration; readonly plan: ChatPlan }

export const leave: ChatPlan = { _tag: "Leave" }

export const post = (at: Place, ...text: Said): ChatPlan => ({ _tag: "Post", at, message: saying(...text) })

export const once = (claim: string, lifetime: Duration.Duration, plan: ChatPlan): ChatPlan => ({
  _tag: "Once",
  claim,
  lifetime,
  plan
})

const limitedFor = Duration.minutes(10)

/** A person who has reached a limit is told once. */
export const limited = (at: Place, { userId }: ChatSender): ChatPlan =>
  once(`limit ${userId}`, limitedFor, post(at, limitReached))

/** Carries out plans. */
export const makePerform = ({ claims, isLimited, posts, schedules }: ChatContext) =>
  Effect.gen(function*() {
    const tasks = yield* Tasks
    const kept = yield* ChannelMessages

    const told = <E extends { readonly message: string }>(
      at: Place | null,
      change: Effect.Effect<{ readonly id: TaskId; readonly said: Said }, E>
    ): Effect.Effect<InboundOutcome, AttemptFailed> =>
      Effect.matchEffect(change, {
        onFailure: ({ message }) =>
          // The task changed since it was read: the next attempt reads it again.
          at === null ? AttemptFailed.later(message) : Effect.as(posts.post(at, saying(message)), noTask),
        onSuccess: ({ id, said }) =>
          Effect.as(at === null ? Effect.void : posts.post(at, saying(...said)), { taskId: id })
      })

    const perform = (plan: ChatPlan): Effect.Effect<InboundOutcome, AttemptFailed> => {
      switch (plan._tag) {
        case "Leave":
          return Effect.succeed(noTask)
        case "Post":
          return Effect.as(posts.post(plan.at, plan.message), noTask)
        case "Keep":
          return Effect.as(kept.keep({ ...plan.message, userId: plan.userId, text: plan.text }), noTask)
        case "Schedule":
          return schedules.create(plan.request, plan.sender, plan.postedTo, plan.enclosed).pipe(
            Effect.flatMap((message) => posts.post(plan.at, message)),
            Effect.as(noTask)
          )
        case "Submit":
          return Effect.if(isLimited(plan.sender.userId), {
            onTrue: () => perform(plan.limited),
            onFalse: () =>
              told(
                plan.told,
                tasks.submit(plan.submission).pipe(
                  // A continuation contains of the earlier task what its sender may read.
                  Effect.provideService(CurrentUser, plan.sender.caller),
                  Effect.map(({ id, title }) => ({
                    id,
                    said: [`I started \`${shortId(id)}\` `, bold(title), ". You get the result as a direct message."]
                  }))
                )
              )
          })
        case "Tell": {
          const { by, decision, isAnswer, task, text } = plan
          const change = isAnswer
            ? tasks.answer(task, text, Option.some(by), decision)
            : tasks.message(task, text, Option.some(by), decision)
          return told(
            plan.told,
            Effect.map(via("chat")(change), (one) => ({ id: one.id, said: ["Thanks. ", ...taskLine(one)] }))
          )
        }
        case "Cancel":
          return told(
            plan.told,
            Effect.map(
              via("chat")(tasks.cancel(plan.task, Option.none(), plan.by)),
              (one) => ({ id: one.id, said: taskLine(one) })
            )
          )
        case "Once":
          return Effect.flatMap(
            claims.take(plan.claim, plan.lifetime),
            (isFirst) => isFirst ? perform(plan.plan) : Effect.succeed(noTask)
          )
      }
    }
    return perform
  })
