import { type TaskId, ToolCallId } from "@troupe/domain/Ids"
import { chatPostText, chatReplyText } from "@troupe/domain/TeamChat"
import { Effect, Layer } from "effect"
import * as SlackWebApi from "../../src/Chat/Slack/SlackWebApi.ts"
import * as ChatChannel from "../../src/Delivery/ChatChannel.ts"
import { newOutboxId, Outbox } from "../../src/Delivery/Outbox.ts"
import { layerAttachedFiles } from "../../src/File/Snapshots.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { accounts } from "../support/ChatAccounts.ts"
import { type FakePlatform, makeChatPlatform } from "../support/ChatPlatform.ts"
import { botUserId } from "../support/ChatPlatformState.ts"
import { startStream } from "../support/Deliveries.ts"
import { request, takeStep } from "../support/GivenTasks.ts"
import { Wire } from "../support/TaskWorld.ts"

/** A platform with a channel in which Alice has asked something, and the thread of that message. */
export const given = Effect.gen(function*() {
  const { query } = yield* Wire
  yield* query("truncate users, chat_accounts")
  yield* query("insert into users (id, name) values ('alice', 'Alice'), ('bob', 'Bob')")
  yield* query(accounts({ alice: "UALICE", bob: "UBOB" }))
  const platform = yield* makeChatPlatform
  // What is to be found here does not depend on a platform that recognises repeated messages.
  platform.state.recognisesRepeats = false
  platform.state.user("ALICE")
  platform.state.channel("GENERAL", { members: [botUserId, "UALICE"] })
  const { ts } = platform.state.add({ channel: "CGENERAL", user: "UALICE", text: "What is the answer?" })
  return { platform, reply: { thread: `CGENERAL/${ts}`, user: "UALICE" } }
})

type Reply = Parameters<typeof chatReplyText>[0]

export const delivering = (
  platform: FakePlatform,
  { console = null, ...options }: {
    readonly console?: URL | null
    readonly maxAttempts?: number
    readonly timeout?: number
  } = {}
) =>
  Effect.flatMap(
    Layer.build(
      Layer.merge(
        layerAttachedFiles,
        SlackWebApi.layer({ apiUrl: platform.url, token: platform.token, timeout: options.timeout ?? 2_000 })
      )
    ),
    (context) =>
      startStream(
        Effect.provide(ChatChannel.make({ console }), context),
        { firstDelay: "1 millis", ...(options.maxAttempts === undefined ? {} : { maxAttempts: options.maxAttempts }) }
      )
  )

/** A task that a message of Alice made. */
export const givenChatTask = (reply: Reply) =>
  Effect.flatMap(Tasks, ({ submit }) =>
    submit(request("What is the answer?", {
      source: {
        kind: "chat",
        reply: { channel: "chat", to: chatReplyText(reply) },
        threads: [reply.thread],
        toolAccess: "all"
      }
    }))).pipe(Effect.map(({ id }) => id), Effect.orDie)

export const asks = (id: TaskId, question: string, choices: ReadonlyArray<string> = []) => {
  const content = [question, ...choices.map((choice) => `- ${choice}`)].join("\n")
  const asked = { id: ToolCallId.make("q"), question: content, ...(choices.length === 0 ? {} : { choices }) }
  return takeStep(id, { kind: "results", results: [], asked })
}

/** Ours alone. */
export const posts = ({ state }: FakePlatform) => state.messages.filter(({ user }) => user === botUserId)

export const texts = (platform: FakePlatform) => posts(platform).map(({ text }) => text)

export const givenPost = (reply: Reply, text: string, blocks?: ReadonlyArray<unknown>) =>
  Effect.gen(function*() {
    const { enqueue } = yield* Outbox
    const id = yield* newOutboxId
    const payload = chatPostText({ text, ...(blocks === undefined ? {} : { controls: blocks }) })
    const recipient = chatReplyText(reply)
    yield* enqueue([{ id, channel: "chat", recipient, kind: "post", user_id: null, task_id: null, payload }])
    return id
  }).pipe(Effect.provide(Outbox.layer))
