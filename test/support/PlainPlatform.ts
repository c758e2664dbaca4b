import { DateTime, Effect, type Scope } from "effect"
import { createHmac } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { json } from "node:stream/consumers"
import { serve } from "./LocalServer.ts"

/** A message of a chat by number, as the platform keeps it. */
export interface PlainMessage {
  readonly chat: number
  readonly id: number
  readonly date: number
  readonly from: number
  text: string
  /** The message that this one quotes: the platform has no threads. */
  readonly replyTo: number | null
  readonly files: ReadonlyArray<PlainFile>
}

export interface PlainFile {
  readonly id: string
  readonly name: string
  readonly content: string
}

export const plainToken = "token-of-the-plain-platform"
export const plainSecret = "secret-of-the-plain-platform"
export const plainBot = 1

/** Its own: SHA-512 in base64 over the time and the body. */
export const plainDigest = (secret: string, time: string, body: string | Uint8Array): string =>
  createHmac("sha512", secret).update(`${time}\n`).update(body).digest("base64")

export interface PlainPlatform {
  readonly url: string
  readonly messages: ReadonlyArray<PlainMessage>
  /** People by number, with their names. */
  readonly people: Map<number, { readonly name: string; readonly isBot: boolean }>
  readonly write: (message: Omit<PlainMessage, "date" | "id">) => PlainMessage
  /** The next call of the method is carried out, and its answer lost. */
  readonly dropAnswer: (method: string) => void
}

/**
 * A chat platform of another shape than Slack: chats and people are numbers, messages quote each other, there are neither
 * buttons nor threads nor commands nor a history, and nobody's messages are formatted.
 */
export const makePlainPlatform: Effect.Effect<PlainPlatform, never, Scope.Scope> = Effect.gen(function*() {
  const messages: Array<PlainMessage> = []
  const files = new Map<string, PlainFile>()
  const people: PlainPlatform["people"] = new Map([[plainBot, { name: "troupe", isBot: true }]])
  const dropped: Array<string> = []
  const began = Math.floor(DateTime.unsafeNow().epochMillis / 1_000)

  const write: PlainPlatform["write"] = (message) => {
    const made = { ...message, id: messages.length + 1, date: began + messages.length }
    for (const file of made.files) files.set(file.id, file)
    messages.push(made)
    return made
  }

  const answerOf = (method: string, args: Record<string, unknown>): object | null => {
    const chat = Number(args["chat"])
    const replyTo = args["reply_to"] === null ? null : Number(args["reply_to"])
    switch (method) {
      case "me":
        return { id: plainBot, name: "troupe" }
      case "person": {
        const found = people.get(Number(args["id"]))
        return found === undefined ? null : { id: Number(args["id"]), ...found }
      }
      case "send": {
        const { date, id } = write({ chat, from: plainBot, text: String(args["text"]), replyTo, files: [] })
        return { date, id }
      }
      case "edit": {
        const found = messages.find(({ id }) => id === Number(args["id"]))
        if (found === undefined) return null
        found.text = String(args["text"])
        return {}
      }
      case "upload": {
        const id = `file${files.size + 1}`
        files.set(id, { id, name: String(args["name"]), content: String(args["content"]) })
        return { id }
      }
      case "share": {
        const shared = (args["files"] as ReadonlyArray<string>).flatMap((id) => files.get(id) ?? [])
        const { date, id } = write({ chat, from: plainBot, text: "", replyTo, files: shared })
        return { date, id }
      }
      case "file":
        return files.get(String(args["id"])) ?? null
      default:
        return null
    }
  }

  const reply = (response: ServerResponse, status: number, body: object) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))

  const handle = ({ headers, url = "" }: IncomingMessage, response: ServerResponse, args: unknown) => {
    if (headers.authorization !== `Plain ${plainToken}`) return reply(response, 401, {})
    const method = url.slice(1)
    const answer = answerOf(method, args as Record<string, unknown>)
    const at = dropped.indexOf(method)
    if (at < 0) return reply(response, answer === null ? 404 : 200, answer ?? {})
    dropped.splice(at, 1)
    return void response.socket?.destroy()
  }

  const url = yield* serve((request, response) =>
    void json(request).then((args) => handle(request, response, args), () => response.destroy())
  )
  return { url, messages, people, write, dropAnswer: (method) => void dropped.push(method) }
})
