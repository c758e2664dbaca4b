import { request } from "@effect/platform-node/Undici"
import { Effect, Either, Layer, Option, Schema } from "effect"
import type { ChatEvent, Incoming } from "../../src/Chat/ChatEvent.ts"
import type { Piece } from "../../src/Chat/ChatMessage.ts"
import { chatFailed, ChatPlatform, type ChatProtocol, type ChatRequest } from "../../src/Chat/ChatPlatform.ts"
import type { ChatText } from "../../src/Chat/ChatText.ts"
import { isSameSignature } from "../../src/Runtime/Signature.ts"
import { plainBot, plainDigest, plainSecret, plainToken } from "./PlainPlatform.ts"

/** What the platform sends: a message, with where it names people. */
const Update = Schema.parseJson(Schema.Struct({
  update: Schema.Int,
  chat: Schema.Struct({ id: Schema.Int, isPrivate: Schema.Boolean }),
  id: Schema.Int,
  date: Schema.Int,
  from: Schema.Struct({ id: Schema.Int, isBot: Schema.Boolean }),
  text: Schema.String,
  names: Schema.Array(Schema.Struct({ at: Schema.Int, length: Schema.Int, person: Schema.Int })),
  replyTo: Schema.NullOr(Schema.Int),
  files: Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String, size: Schema.Int }))
}))
type Update = typeof Update.Type

const decodeUpdate = Schema.decodeOption(Update)

const textOf = ({ names, text }: Update): ChatText => {
  const parts: Array<ChatText[number]> = []
  let end = 0
  for (const { at, length, person } of names) {
    parts.push(text.slice(end, at), { kind: "user", id: String(person), label: text.slice(at + 1, at + length) })
    end = at + length
  }
  return [...parts, text.slice(end)]
}

/** Messages of a second have an order too. */
const timeOf = ({ date, id }: Pick<Update, "date" | "id">): number => date + id / 1_000_000

/** A reply is in the thread of the message that it quotes. */
const eventOf = (update: Update): ChatEvent => ({
  _tag: "Message",
  isMention: update.names.some(({ person }) => person === plainBot),
  isDirect: update.chat.isPrivate,
  channel: String(update.chat.id),
  user: String(update.from.id),
  id: String(update.id),
  at: timeOf(update),
  thread: update.replyTo === null ? null : `${update.chat.id}/${update.replyTo}`,
  replyTo: `${update.chat.id}/${update.id}`,
  text: textOf(update),
  quoted: [],
  files: update.files.map(({ id, name, size }) => ({
    id,
    name,
    size,
    contentType: null,
    downloadUrl: id,
    unavailable: null
  }))
})

const decode = ({ body }: ChatRequest): Incoming =>
  Option.match(decodeUpdate(Buffer.from(body).toString()), {
    onNone: () => ({ _tag: "Unreadable", reason: "it is no update" }),
    onSome: (update) =>
      update.from.isBot ? { _tag: "Ignored", reason: "messages of bots" } : {
        _tag: "Event",
        type: "message",
        id: String(update.update),
        ourselves: [String(plainBot)],
        event: eventOf(update)
      }
  })

const verify = ({ body, headers }: ChatRequest, nowMillis: number): Either.Either<void, string> => {
  const time = headers["x-plain-time"] ?? ""
  const digest = Buffer.from(plainDigest(plainSecret, time, body))
  return Math.abs(Number(time) - nowMillis) < 60_000
      && isSameSignature(digest, Buffer.from(headers["x-plain-digest"] ?? ""))
    ? Either.void
    : Either.left("its digest does not match")
}

const shown = (piece: Piece): string => {
  if (typeof piece === "string") return piece
  switch (piece._tag) {
    case "Bold":
    case "Italic":
      return piece.text
    case "Link":
      return `${piece.label}: ${piece.url}`
    case "Markdown":
      return piece.listed
    case "Mention":
      return `@${piece.user}`
    case "Time":
      return piece.words
  }
}

const maxMessage = 1_000

const partsOf = (text: string): ReadonlyArray<string> =>
  text.length <= maxMessage ? [text] : [text.slice(0, maxMessage), ...partsOf(text.slice(maxMessage))]

const protocol: ChatProtocol = {
  id: "plain",
  hasButtons: false,
  hasCommands: false,
  verify,
  decode,
  read: (text) => [text],
  isDirect: (thread) => !thread.startsWith("-"),
  conversationOf: (thread) => thread.split("/")[0] ?? thread,
  render: ({ text }) => partsOf(text.map(shown).join("")).map((part) => ({ text: part })),
  closed: (text, line) => ({ text: `${text}\n\n${line.map(shown).join("")}` })
}

const Sent = Schema.Struct({ id: Schema.Int, date: Schema.Int })
const Person = Schema.Struct({ id: Schema.Int, name: Schema.String, isBot: Schema.Boolean })
const File = Schema.Struct({ id: Schema.String, name: Schema.String, content: Schema.String })

/** The adapter of the plain platform: it proves that the port has no shape of Slack's. */
export const plainAdapter = (url: string): Layer.Layer<ChatPlatform> =>
  Layer.sync(ChatPlatform, () => {
    const call = <A, I>(method: string, args: object, answer: Schema.Schema<A, I>, isWrite = false) =>
      Effect.tryPromise({
        try: (signal) =>
          request(`${url}/${method}`, {
            method: "POST",
            headers: { authorization: `Plain ${plainToken}`, "content-type": "application/json" },
            body: JSON.stringify(args),
            signal
          }).then(({ body, statusCode }) => body.json().then((found) => ({ found, statusCode }))),
        catch: () => chatFailed(isWrite ? "uncertain" : "unavailable", `The connection broke during ${method}.`)
      }).pipe(
        Effect.filterOrFail(
          ({ statusCode }) => statusCode === 200,
          () => chatFailed("refused", `The chat platform refused ${method}.`, { about: "message" })
        ),
        Effect.flatMap(({ found }) => Effect.orDie(Schema.decodeUnknown(answer)(found)))
      )
    const to = (thread: string) => {
      const [chat, quoted] = thread.split("/")
      return { chat: Number(chat), reply_to: quoted === undefined ? null : Number(quoted) }
    }
    return ChatPlatform.of({
      ...protocol,
      health: Effect.map(call("me", {}, Schema.Struct({ id: Schema.Int })), ({ id }) => ({
        team: "Plain",
        userId: String(id)
      })),
      post: ({ post: { text }, to: thread }) =>
        Effect.map(call("send", { ...to(thread), text }, Sent, true), ({ date, id }) => ({
          id: String(id),
          at: timeOf({ date, id }),
          thread: `${to(thread).chat}/${id}`
        })),
      update: ({ id, post: { text } }) => call("edit", { id, text }, Schema.Struct({}), true),
      answer: () => Effect.die("nothing here has an address for later answers"),
      upload: ({ content, name }) =>
        Effect.map(
          call("upload", { name, content: Buffer.from(content).toString() }, Schema.Struct({ id: Schema.String })),
          ({ id }) => id
        ),
      share: (thread, files) => call("share", { ...to(thread), files: files.map(({ id }) => id) }, Sent, true),
      describeFile: (id) => Effect.die(`nothing more is known of ${id}`),
      receiveFile: ({ id }) => Effect.map(call("file", { id }, File), ({ content }) => Buffer.from(content)),
      findUser: (user) =>
        Effect.map(call("person", { id: Number(user) }, Person), ({ id, isBot, name }) => ({
          id: String(id),
          name,
          realName: null,
          displayName: null,
          email: null,
          title: null,
          timezone: null,
          avatarUrl: null,
          isBot,
          isDeactivated: false,
          isGuest: false
        })),
      openDirect: Effect.succeed,
      history: null,
      directory: null
    })
  })
