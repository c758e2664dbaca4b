import { request } from "@effect/platform-node/Undici"
import { Clock, Effect, type Layer, Option, Queue, Redacted, type Scope } from "effect"
import type { ChatPlatform } from "../../src/Chat/ChatPlatform.ts"
import * as SlackWebApi from "../../src/Chat/Slack/SlackWebApi.ts"
import { say, sendCommand, sendEvent, sendInteraction } from "./ChatEvents.ts"
import { chatToken, makeChatPlatform, signingSecret } from "./ChatPlatform.ts"
import { botUserId, type FakeMessage } from "./ChatPlatformState.ts"
import { eventually } from "./Eventually.ts"
import { plainAdapter } from "./PlainAdapter.ts"
import { makePlainPlatform, plainBot, plainDigest, type PlainMessage, plainSecret } from "./PlainPlatform.ts"

export type Person = "ada" | "bob" | "robot"

/** Where a message stands: in the team's channel, or between a person and the bot. */
export type Room = "direct" | "team"

export interface Written {
  /** The platform's id of the message. */
  readonly id: string
}

/** A message of ours. */
export interface Posted extends Written {
  /** The message in whose thread it is, or that it quotes; null: neither. */
  readonly replyTo: string | null
  readonly room: Room
  readonly text: string
  readonly files: ReadonlyArray<{ readonly name: string; readonly content: string }>
}

export interface NewMessage {
  readonly by: Person
  readonly room: Room
  readonly text: string
  /** With the platform's mention of the bot before the text. */
  readonly mentions?: boolean
  /** A message of ours, in whose thread it is or that it quotes. */
  readonly replyTo?: Posted
  readonly file?: { readonly name: string; readonly content: string }
}

/** How often the platform delivers a message, and whether the signature is right. */
interface Delivery {
  readonly times?: number
  readonly isForged?: boolean
}

/** A chat platform for the tests that hold for all: its server, and the people who use it. */
export interface ChatDouble {
  readonly adapter: Layer.Layer<ChatPlatform>
  /** Writes a message, which the platform delivers to the service at this address. */
  readonly write: (service: string, message: NewMessage, delivery?: Delivery) => Effect.Effect<Written>
  /** Messages of ours, in their order. */
  readonly posts: Effect.Effect<ReadonlyArray<Posted>>
  /** Answers a question by one of its choices, by a button or in words. */
  readonly choose: (service: string, question: Posted, choice: string, by: Person) => Effect.Effect<void>
  /** What a command answers in the end. */
  readonly command: (service: string, by: Person, text: string) => Effect.Effect<string>
  /** The platform carries out the next post, and the answer is lost. */
  readonly loseNextAnswer: () => void
}

const ids = { ada: "UADA", bob: "UBOB", robot: "UROBOT" } as const

export const makeSlackDouble: Effect.Effect<ChatDouble, never, Scope.Scope> = Effect.gen(function*() {
  const platform = yield* makeChatPlatform
  const { state } = platform
  state.user("ADA", { name: "ada", real_name: "Ada Lovelace" })
  state.user("BOB", { name: "bob", real_name: "Bob" })
  state.user("ROBOT", { is_bot: true })
  state.channel("TEAM", { members: [botUserId, "UADA", "UBOB"] })
  const direct = (by: Person) => state.directMessage(ids[by])
  const events = (service: string) => `${service}/team-chat/dm_response`

  const post = ({ channel, files, text, thread_ts, ts }: FakeMessage): Posted => ({
    id: ts,
    replyTo: thread_ts,
    room: channel === "CTEAM" ? "team" : "direct",
    text,
    files: files.map(({ content, name }) => ({ name, content: String(content) }))
  })
  const choiceOf = (question: Posted, choice: string): object => {
    const message = state.messages.find(({ ts }) => ts === question.id)
    const buttons = JSON.stringify(message?.blocks ?? []).match(/\{"type":"button".*?"value":"(?:[^"\\]|\\.)*"\}/g) ??
      []
    const found = buttons.map((one) => JSON.parse(one)).find(({ text }) => text.text === choice)
    return { action_id: found?.action_id, value: found?.value }
  }

  return {
    adapter: SlackWebApi.layer({
      apiUrl: platform.url,
      token: Redacted.make(chatToken),
      signingSecret: Option.some(Redacted.make(signingSecret))
    }),
    write: (service, { by, file, mentions = false, replyTo, room, text }, { isForged = false, times = 1 } = {}) =>
      Effect.gen(function*() {
        const { events: caused, message } = say(platform, {
          channel: room === "team" ? "CTEAM" : direct(by),
          user: ids[by],
          text: mentions ? `<@${botUserId}> ${text}` : text,
          thread_ts: replyTo === undefined ? null : replyTo.replyTo ?? replyTo.id,
          ...(file === undefined ? {} : {
            subtype: "file_share",
            files: [state.file(`F${state.files.size + 1}`, file.name, file.content)]
          })
        })
        for (let retry = 0; retry < times; retry++) {
          for (const event of caused) {
            yield* sendEvent(events(service), event, { retry, ...(isForged ? { secret: "other" } : {}) })
          }
        }
        return { id: message.ts }
      }),
    posts: Effect.sync(() => state.messages.filter(({ user }) => user === botUserId).map(post)),
    choose: (service, question, choice, by) =>
      Effect.asVoid(sendInteraction(`${service}/team-chat/interactive`, {
        user: { id: ids[by] },
        actions: [choiceOf(question, choice)]
      })),
    command: (service, by, text) =>
      Effect.gen(function*() {
        const command = { user: ids[by], channel: direct(by), text }
        const { body } = yield* sendCommand(platform, `${service}/team-chat/command`, command)
        const { text: answer } = JSON.parse(body)
        if (!String(answer).includes("the answer follows")) return String(answer)
        return String(Object(yield* Queue.take(platform.responses)).text)
      }),
    loseNextAnswer: () => platform.misbehave("chat.postMessage", { _tag: "drop", after: true })
  }
})

const numbers = { ada: 11, bob: 12, robot: 13 } as const

const team = -77

export const makePlainDouble: Effect.Effect<ChatDouble, never, Scope.Scope> = Effect.gen(function*() {
  const platform = yield* makePlainPlatform
  for (const [name, id] of Object.entries(numbers)) platform.people.set(id, { name, isBot: name === "robot" })
  let updates = 0

  const deliver = (service: string, message: PlainMessage, mentions: boolean, { isForged, times = 1 }: Delivery) =>
    Effect.gen(function*() {
      const body = JSON.stringify({
        ...message,
        update: ++updates,
        chat: { id: message.chat, isPrivate: message.chat > 0 },
        from: { id: message.from, isBot: message.from === numbers.robot },
        names: mentions ? [{ at: 0, length: 7, person: plainBot }] : [],
        files: message.files.map(({ content, id, name }) => ({ id, name, size: content.length }))
      })
      for (let time = 0; time < times; time++) {
        const now = String(yield* Clock.currentTimeMillis)
        const digest = plainDigest(isForged === true ? "other" : plainSecret, now, body)
        yield* Effect.promise(() =>
          request(`${service}/team-chat/dm_response`, {
            method: "POST",
            body,
            headers: { "content-type": "application/json", "x-plain-time": now, "x-plain-digest": digest }
          }).then((response) => response.body.text())
        )
      }
    })

  const write: ChatDouble["write"] = (service, message, delivery = {}) => {
    const { by, file, mentions = false, replyTo, room, text } = message
    const written = platform.write({
      chat: room === "team" ? team : numbers[by],
      from: numbers[by],
      text: mentions ? `@troupe ${text}` : text,
      replyTo: replyTo === undefined ? null : Number(replyTo.id),
      files: file === undefined ? [] : [{ id: `sent${updates}`, ...file }]
    })
    return Effect.as(deliver(service, written, mentions, delivery), { id: String(written.id) })
  }

  const posts = Effect.sync(() =>
    platform.messages.filter(({ from }) => from === plainBot).map(({ chat, files, id, replyTo, text }): Posted => ({
      id: String(id),
      replyTo: replyTo === null ? null : String(replyTo),
      room: chat < 0 ? "team" : "direct",
      text,
      files
    }))
  )

  return {
    adapter: plainAdapter(platform.url),
    write,
    posts,
    choose: (service, question, choice, by) =>
      Effect.asVoid(write(service, { by, room: question.room, text: choice, replyTo: question })),
    command: (service, by, text) =>
      Effect.gen(function*() {
        const { id } = yield* write(service, { by, room: "team", text, mentions: true })
        const all = yield* eventually(posts, (found) => found.some(({ replyTo }) => replyTo === id))
        return all.filter(({ replyTo }) => replyTo === id).map((answer) => answer.text).join("")
      }),
    loseNextAnswer: () => platform.dropAnswer("send")
  }
})
