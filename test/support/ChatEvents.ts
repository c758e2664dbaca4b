import { request } from "@effect/platform-node/Undici"
import { Clock, Effect } from "effect"
import { createHmac, randomUUID } from "node:crypto"
import { type FakePlatform, signingSecret } from "./ChatPlatform.ts"
import { messageView } from "./ChatPlatformMethods.ts"
import { botUserId, type FakeMessage, teamId } from "./ChatPlatformState.ts"

/** What the platform sends to us: events, interactions and slash commands, signed. */
export interface Envelope {
  readonly event_id: string
  readonly event: { readonly type: string; readonly [field: string]: unknown }
}

let eventCount = 0

export const envelope = (event: Envelope["event"]): Envelope => {
  eventCount += 1
  return { event_id: `Ev${String(eventCount).padStart(8, "0")}`, event }
}

/**
 * What a person says, kept by the platform, and the events that it causes: a message, and a mention of us if the text
 * has one.
 */
export const say = (
  { state, url }: FakePlatform,
  message: Parameters<FakePlatform["state"]["add"]>[0]
): { readonly message: FakeMessage; readonly events: ReadonlyArray<Envelope> } => {
  const said = state.add(message)
  const isDirect = state.isDirectMessage(said.channel)
  const channel_type = isDirect ? "im" : state.channels.get(said.channel)?.is_private === true ? "group" : "channel"
  const common = {
    ...messageView(said, new URL("/", url).href, false),
    channel: said.channel,
    event_ts: said.ts,
    team: teamId
  }
  const mention = said.text.includes(`<@${botUserId}>`) && !isDirect
    ? [envelope({ ...common, type: "app_mention" })]
    : []
  return { message: said, events: [envelope({ ...common, type: "message", channel_type }), ...mention] }
}

export interface SignOptions {
  readonly secret?: string
  /** Seconds by which the platform's clock is ahead. */
  readonly skew?: number
  /** Of the headers' names. */
  readonly brand?: "Chat" | "Slack"
}

export const signed = (
  body: string,
  { brand = "Slack", secret = signingSecret, skew = 0 }: SignOptions = {}
): Effect.Effect<Record<string, string>> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const timestamp = String(Math.floor(now / 1000) + skew)
    const signature = createHmac("sha256", secret).update(`v0:${timestamp}:${body}`).digest("hex")
    return { [`x-${brand}-Request-Timestamp`]: timestamp, [`x-${brand}-Signature`]: `v0=${signature}` }
  })

export interface Reply {
  readonly status: number
  readonly body: string
}

export type SendOptions = SignOptions & { readonly headers?: Record<string, string> }

const post = (url: string, body: string, type: string, options: SendOptions = {}): Effect.Effect<Reply> =>
  Effect.flatMap(
    signed(body, options),
    (signature) =>
      Effect.promise(() =>
        request(url, { method: "POST", body, headers: { "content-type": type, ...signature, ...options.headers } })
          .then((response) => response.body.text().then((text) => ({ status: response.statusCode, body: text })))
      )
  )

/** `retry`: how often the platform has sent it before. */
export const sendEvent = (
  url: string,
  { event, event_id }: Envelope,
  { retry = 0, ...options }: SendOptions & { readonly retry?: number } = {}
): Effect.Effect<Reply> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    post(
      url,
      JSON.stringify({
        token: "unused",
        team_id: teamId,
        api_app_id: "A0TROUPE",
        type: "event_callback",
        event,
        event_id,
        event_time: Math.floor(now / 1000),
        authorizations: [{ team_id: teamId, user_id: botUserId, is_bot: true }]
      }),
      "application/json",
      retry === 0 ? options : {
        ...options,
        headers: { "x-slack-retry-num": String(retry), "x-slack-retry-reason": "http_timeout", ...options.headers }
      }
    ))

/** Sends each event `times` times, the repetitions of all events in an order that depends on `seed`. */
export const sendEvents = (
  url: string,
  events: ReadonlyArray<Envelope>,
  { seed = 1, times = 1 }: { readonly seed?: number; readonly times?: number } = {}
): Effect.Effect<ReadonlyArray<Reply>> => {
  const all = events.flatMap((event, at) =>
    Array.from(
      { length: times },
      (_, retry) => ({ event, retry, key: ((at * times + retry + 1) * 7919 * seed) % 104_729 })
    )
  )
  return Effect.forEach(all.sort((a, b) => a.key - b.key), ({ event, retry }) => sendEvent(url, event, { retry }))
}

export const sendChallenge = (url: string, challenge: string, options?: SendOptions): Effect.Effect<Reply> =>
  post(url, JSON.stringify({ type: "url_verification", token: "unused", challenge }), "application/json", options)

const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString()

/** A press of a button, or another interaction. */
export const sendInteraction = (url: string, payload: object, options?: SendOptions): Effect.Effect<Reply> =>
  post(url, form({ payload: JSON.stringify(payload) }), "application/x-www-form-urlencoded", options)

export const sendCommand = (
  platform: FakePlatform,
  url: string,
  command: {
    readonly user: string
    readonly channel: string
    readonly text: string
    /** Null: the platform names none. Unset: one that no other command has. */
    readonly trigger?: string | null
  },
  options?: SendOptions
): Effect.Effect<Reply> =>
  post(
    url,
    form({
      token: "unused",
      team_id: teamId,
      channel_id: command.channel,
      user_id: command.user,
      user_name: platform.state.users.get(command.user)?.name ?? "",
      command: "/troupe",
      text: command.text,
      api_app_id: "A0TROUPE",
      response_url: platform.responseUrl,
      ...(command.trigger === null ? {} : { trigger_id: command.trigger ?? `1.2.${randomUUID()}` })
    }),
    "application/x-www-form-urlencoded",
    options
  )
