import { Agent } from "@effect/platform-node/Undici"
import { Effect, Layer, type Redacted } from "effect"
import { ChatPlatform } from "../ChatPlatform.ts"
import { makeCalls } from "./SlackCalls.ts"
import * as Response from "./SlackResponses.ts"
import { makeTransfers, sizeDiffersCode } from "./SlackTransfers.ts"

const publicUrl = new URL("https://slack.com/api/")

/** No response of the Web API is read beyond this. */
const maxResponseBytes = 8 * 1024 * 1024

const connectTimeout = 5_000

/** How long a connection of a download or an upload may be idle, in milliseconds. */
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
      const files = makeTransfers(fileAgent, { ...slack, timeout: options.timeout ?? 120_000 })
      const authTest = read("auth.test", {}, Response.authorization)
      let known: ReadonlyArray<string> | null = null
      const home = Effect.suspend(() =>
        known === null
          ? Effect.map(authTest, (identity) => (known = identity.home))
          : Effect.succeed(known)
      )
      const fileInfo = (id: string) => read("files.info", { file: id }, Response.file)
      return ChatPlatform.of({
        isConfigured: true,
        authTest,
        postMessage: (message) =>
          write("chat.postMessage", {
            text: message.text,
            blocks: message.blocks,
            unfurl_links: false,
            unfurl_media: false,
            channel: message.channel,
            thread_ts: message.threadTs,
            client_msg_id: message.id,
            metadata: { event_type: Response.metadataType, event_payload: { id: message.id } }
          }, Response.posted),
        updateMessage: ({ blocks, channel, text, ts }) =>
          write("chat.update", { channel, ts, text, blocks }, Response.accepted),
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
            Response.uploadUrl
          )
          yield* files.upload(target.upload_url, content)
          return target.file_id
        }),
        shareFiles: (message) =>
          write("files.completeUploadExternal", {
            files: message.files,
            channel_id: message.channel,
            thread_ts: message.threadTs
          }, Response.accepted),
        fileInfo,
        downloadFile: (file, maxBytes) =>
          files.download(file, maxBytes).pipe(
            // A snippet can be edited after the message that has it.
            Effect.catchIf(({ code }) => code === sizeDiffersCode && file.id !== "", (failed) =>
              Effect.flatMap(
                fileInfo(file.id),
                (now) => now.size === file.size ? failed : files.download(now, maxBytes)
              ))
          ),
        userInfo: (user) => Effect.zipWith(read("users.info", { user }, Response.user), home, Response.personOf),
        users: (cursor) =>
          Effect.zipWith(read("users.list", { cursor, limit: pageSize }, Response.users), home, (page, at) => ({
            ...page,
            items: page.items.map((account) => Response.personOf(account, at))
          })),
        channelInfo: (channel) => read("conversations.info", { channel, include_num_members: true }, Response.channel),
        channels: (cursor) =>
          read("conversations.list", {
            cursor,
            limit: pageSize,
            types: "public_channel,private_channel",
            exclude_archived: false
          }, Response.channels),
        members: (channel, cursor) =>
          read("conversations.members", { channel, cursor, limit: memberPageSize }, Response.members),
        openDirectMessage: (user) => read("conversations.open", { users: user }, Response.opened),
        replies: (thread) =>
          read("conversations.replies", { ...thread, limit: pageSize, include_all_metadata: true }, Response.messages),
        history: (request) =>
          read("conversations.history", { ...request, limit: pageSize, include_all_metadata: true }, Response.messages)
      })
    })
  )

const agentOf = (options: Agent.Options) =>
  Effect.acquireRelease(Effect.sync(() => new Agent(options)), (agent) => Effect.promise(() => agent.destroy()))
