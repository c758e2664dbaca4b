import { Agent } from "@effect/platform-node/Undici"
import { Effect, Layer, type Redacted, Schema } from "effect"
import { ChatPlatform, type OutgoingChatMessage } from "./ChatPlatform.ts"
import { makeCalls } from "./SlackCalls.ts"
import { makeFiles } from "./SlackFiles.ts"
import * as Response from "./SlackResponses.ts"

const publicUrl = new URL("https://slack.com/api/")

/** No response of the Web API is read beyond this. */
const maxResponseBytes = 8 * 1024 * 1024

const connectTimeout = 5_000

/** An idle connection of a download or an upload. */
const silence = 30_000

const pageSize = 200
const memberPageSize = 1_000

export const layer = (options: {
  readonly apiUrl: URL | null
  readonly token: Redacted.Redacted
  readonly timeout?: number
}): Layer.Layer<ChatPlatform> =>
  Layer.scoped(
    ChatPlatform,
    Effect.gen(function*() {
      const limits = { connect: { timeout: connectTimeout }, headersTimeout: silence, bodyTimeout: silence }
      const agent = yield* agentOf({ ...limits, maxResponseSize: maxResponseBytes })
      const fileAgent = yield* agentOf(limits)
      const slack = { baseUrl: options.apiUrl ?? publicUrl, token: options.token, timeout: options.timeout ?? 15_000 }
      const { read, write } = makeCalls(agent, slack)
      const files = makeFiles(fileAgent, { ...slack, timeout: options.timeout ?? 120_000 })
      return ChatPlatform.of({
        isConfigured: true,
        authTest: Effect.map(read("auth.test", {}, Response.Identity), (found) => ({
          team: found.team,
          teamId: found.team_id,
          userId: found.user_id,
          botId: found.bot_id
        })),
        postMessage: (message) =>
          write("chat.postMessage", {
            ...textOf(message),
            channel: message.channel,
            thread_ts: message.threadTs,
            client_msg_id: message.id,
            metadata: { event_type: Response.metadataType, event_payload: { id: message.id } }
          }, Response.Posted),
        postEphemeral: (message) =>
          write("chat.postEphemeral", {
            ...textOf(message),
            channel: message.channel,
            thread_ts: message.threadTs,
            user: message.user
          }, nothing),
        // The same text twice is the same message.
        updateMessage: (message) =>
          read("chat.update", { ...textOf(message), channel: message.channel, ts: message.ts }, nothing),
        respond: (url, { blocks, replaceOriginal, text }) =>
          files.respond(url, {
            text,
            ...(blocks === undefined ? {} : { blocks }),
            response_type: "ephemeral",
            replace_original: replaceOriginal === true
          }),
        uploadFile: Effect.fnUntraced(function*({ content, name }) {
          const target = yield* read(
            "files.getUploadURLExternal",
            { filename: name, length: content.byteLength },
            Response.UploadUrl
          )
          yield* files.upload(target.upload_url, content)
          return target.file_id
        }),
        shareFiles: (message) =>
          write("files.completeUploadExternal", {
            files: message.files,
            channel_id: message.channel,
            thread_ts: message.threadTs,
            initial_comment: message.text
          }, nothing),
        downloadFile: files.download,
        userInfo: (user) => Effect.map(read("users.info", { user }, Response.UserInfo), Response.userInfoOf),
        users: (cursor) =>
          Effect.map(read("users.list", { cursor, limit: pageSize }, Response.Users), Response.usersOf),
        channelInfo: (channel) =>
          Effect.map(
            read("conversations.info", { channel, include_num_members: true }, Response.ChannelInfo),
            Response.channelInfoOf
          ),
        channels: (cursor) =>
          Effect.map(
            read("conversations.list", {
              cursor,
              limit: pageSize,
              types: "public_channel,private_channel",
              exclude_archived: false
            }, Response.Channels),
            Response.channelsOf
          ),
        members: (channel, cursor) =>
          Effect.map(
            read("conversations.members", { channel, cursor, limit: memberPageSize }, Response.Members),
            Response.membersOf
          ),
        openDirectMessage: (user) =>
          Effect.map(read("conversations.open", { users: user }, Response.Opened), ({ channel }) => channel.id),
        replies: ({ channel, cursor, oldest, ts }) =>
          Effect.map(
            read(
              "conversations.replies",
              { channel, ts, oldest, cursor, limit: pageSize, include_all_metadata: true },
              Response.Messages
            ),
            Response.messagesOf
          ),
        history: ({ channel, cursor, oldest }) =>
          Effect.map(
            read(
              "conversations.history",
              { channel, oldest, cursor, limit: pageSize, include_all_metadata: true },
              Response.Messages
            ),
            Response.messagesOf
          )
      })
    })
  )

const nothing = Schema.Struct({})

const textOf = ({ blocks, text }: Pick<OutgoingChatMessage, "blocks" | "text">) => ({
  text,
  blocks,
  unfurl_links: false,
  unfurl_media: false
})

const agentOf = (options: Agent.Options) =>
  Effect.acquireRelease(Effect.sync(() => new Agent(options)), (agent) => Effect.promise(() => agent.destroy()))
