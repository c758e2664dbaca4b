import { Context, Data, Effect, Layer, Option, RcMap, type Redacted } from "effect"
import { type ChatCalls, type ChatFailed, ChatPlatform, unconfiguredCalls } from "../Chat/ChatPlatform.ts"
import { layerUnconfigured, slackProtocol } from "../Chat/Slack/SlackProtocol.ts"
import type { Settings } from "../Runtime/Settings/Settings.ts"

/** The client is loaded only where the chat platform is called. */
export const platform = (
  { apiUrl, signingSecret, token }: Pick<Settings["Type"]["chat"], "apiUrl" | "signingSecret" | "token">
): Layer.Layer<ChatPlatform> =>
  Option.match(token, {
    onNone: () => layerUnconfigured(signingSecret),
    onSome: (given) =>
      Layer.unwrapEffect(
        Effect.promise(() =>
          import("../Chat/Slack/SlackWebApi.ts").then(({ layer }) =>
            layer({ apiUrl: Option.getOrNull(apiUrl), token: given, signingSecret })
          )
        )
      )
  })

interface Client {
  readonly apiUrl: string | null
  readonly token: Redacted.Redacted
}

/** How long a client that nobody uses is kept: it knows whom it calls as, and what the platform limits. */
const idleTime = "1 hour"

/** The chat platform of the settings at the time. A call that runs keeps the client with which it began. */
export const currentChat = ({ stored }: Settings["Type"]): Layer.Layer<ChatPlatform> =>
  Layer.scoped(
    ChatPlatform,
    Effect.gen(function*() {
      const chat = () => stored.current().chat
      const clients = yield* RcMap.make({
        lookup: ({ apiUrl, token }: Client) =>
          Effect.map(
            Layer.build(platform({
              apiUrl: Option.map(Option.fromNullable(apiUrl), (href) => new URL(href)),
              token: Option.some(token),
              signingSecret: Option.none()
            })),
            Context.get(ChatPlatform)
          ),
        idleTimeToLive: idleTime
      })
      const calling = <A>(use: (calls: ChatCalls) => Effect.Effect<A, ChatFailed>) =>
        Effect.scoped(Effect.suspend(() => {
          const { apiUrl, token } = chat()
          return Option.match(token, {
            onNone: () => use(unconfiguredCalls),
            onSome: (given) =>
              Effect.flatMap(
                RcMap.get(clients, Data.struct({ apiUrl: Option.getOrNull(apiUrl)?.href ?? null, token: given })),
                use
              )
          })
        }))
      const unconfigured = Effect.zipRight(unconfiguredCalls.health, Effect.never)
      const history: NonNullable<ChatCalls["history"]> = {
        before: (...given) => calling(({ history }) => history?.before(...given) ?? unconfigured),
        since: (...given) => calling(({ history }) => history?.since(...given) ?? unconfigured)
      }
      const directory: NonNullable<ChatCalls["directory"]> = {
        users: (...given) => calling(({ directory }) => directory?.users(...given) ?? unconfigured),
        channel: (...given) => calling(({ directory }) => directory?.channel(...given) ?? unconfigured),
        channels: (...given) => calling(({ directory }) => directory?.channels(...given) ?? unconfigured),
        members: (...given) => calling(({ directory }) => directory?.members(...given) ?? unconfigured)
      }
      return ChatPlatform.of({
        ...slackProtocol(Option.none()),
        verify: (...given) => slackProtocol(chat().signingSecret).verify(...given),
        health: calling(({ health }) => health),
        post: (...given) => calling(({ post }) => post(...given)),
        update: (...given) => calling(({ update }) => update(...given)),
        answer: (...given) => calling(({ answer }) => answer(...given)),
        upload: (...given) => calling(({ upload }) => upload(...given)),
        share: (...given) => calling(({ share }) => share(...given)),
        describeFile: (...given) => calling(({ describeFile }) => describeFile(...given)),
        receiveFile: (...given) => calling(({ receiveFile }) => receiveFile(...given)),
        findUser: (...given) => calling(({ findUser }) => findUser(...given)),
        openDirect: (...given) => calling(({ openDirect }) => openDirect(...given)),
        get history() {
          return Option.isNone(chat().token) ? null : history
        },
        get directory() {
          return Option.isNone(chat().token) ? null : directory
        }
      })
    })
  )
