import { Agent } from "@effect/platform-node/Undici"
import { threadHalves, threadKey } from "@troupe/domain/TeamChat"
import { Effect, Layer, Option, type Redacted } from "effect"
import { ChatPlatform } from "../ChatPlatform.ts"
import { makeCalls } from "./SlackCalls.ts"
import { makeHistory } from "./SlackHistory.ts"
import { slackProtocol } from "./SlackProtocol.ts"
import * as Response from "./SlackResponses.ts"
import { makeTransfers } from "./SlackTransfers.ts"

const publicUrl = new URL("https://slack.com/api/")

/** No response of the Web API is read beyond this. */
const maxResponseBytes = 8 * 1024 * 1024

const connectTimeout = 5_000

/** How long a connection of a download or an upload may be idle, in milliseconds. */
const silence = 30_000

const pageSize = 200
const memberPageSize = 1_000
const historyOptions = { limit: pageSize, include_all_metadata: true }

export const layer = (options: {
  readonly apiUrl: URL | null
  readonly token: Redacted.Redacted
  readonly signingSecret?: Option.Option<Redacted.Redacted>
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
      const health = read("auth.test", {}, Response.authorization)
      let known: ReadonlyArray<string> | null = null
      const home = Effect.suspend(() =>
        known === null
          ? Effect.map(health, (identity) => (known = identity.home))
          : Effect.succeed(known)
      )
      const describeFile = (id: string) => read("files.info", { file: id }, Response.file)
      const at = (key: string, name: "channel" | "channel_id") => {
        const { channel, thread } = threadHalves(key)
        return { [name]: channel, thread_ts: thread }
      }
      return ChatPlatform.of({
        ...slackProtocol(options.signingSecret ?? Option.none()),
        health,
        post: ({ id, post: { controls, text }, to }) =>
          Effect.map(
            write("chat.postMessage", {
              text,
              blocks: controls,
              unfurl_links: false,
              unfurl_media: false,
              ...at(to, "channel"),
              client_msg_id: id,
              metadata: { event_type: Response.metadataType, event_payload: { id } }
            }, Response.posted),
            ({ channel, ts }) => ({
              id: ts,
              at: Number(ts),
              thread: threadHalves(to).thread === null ? threadKey(channel, ts) : to
            })
          ),
        update: ({ conversation, id, post: { controls, text } }) =>
          write("chat.update", { channel: conversation, ts: id, text, blocks: controls }, Response.accepted),
        answer: (url, { controls, text }, isInPlace = false) =>
          files.respond(url, {
            text,
            ...(controls === undefined ? {} : { blocks: controls }),
            response_type: "ephemeral",
            replace_original: isInPlace
          }),
        upload: Effect.fnUntraced(function*({ content, name }) {
          const target = yield* read(
            "files.getUploadURLExternal",
            { filename: name, length: content.byteLength },
            Response.uploadUrl
          )
          yield* files.upload(target.upload_url, content)
          return target.file_id
        }),
        share: (to, shared) =>
          write("files.completeUploadExternal", { files: shared, ...at(to, "channel_id") }, Response.accepted),
        describeFile,
        receiveFile: (file, maxBytes) =>
          files.download(file, maxBytes).pipe(
            // A snippet can be edited after the message that has it.
            Effect.catchIf(({ about }) => about === "file" && file.id !== "", (failed) =>
              Effect.flatMap(
                describeFile(file.id),
                (now) => now.size === file.size ? failed : files.download(now, maxBytes)
              ))
          ),
        findUser: (user) => Effect.zipWith(read("users.info", { user }, Response.user), home, Response.personOf),
        openDirect: (user) => read("conversations.open", { users: user }, Response.opened),
        history: makeHistory({
          replies: (thread) => read("conversations.replies", { ...thread, ...historyOptions }, Response.messages),
          history: (channel) => read("conversations.history", { ...channel, ...historyOptions }, Response.messages)
        }),
        directory: {
          users: (cursor) =>
            Effect.zipWith(read("users.list", { cursor, limit: pageSize }, Response.users), home, (page, here) => ({
              ...page,
              items: page.items.map((account) => Response.personOf(account, here))
            })),
          channel: (channel) => read("conversations.info", { channel, include_num_members: true }, Response.channel),
          channels: (cursor) =>
            read("conversations.list", {
              cursor,
              limit: pageSize,
              types: "public_channel,private_channel",
              exclude_archived: false
            }, Response.channels),
          members: (channel, cursor) =>
            read("conversations.members", { channel, cursor, limit: memberPageSize }, Response.members)
        }
      })
    })
  )

const agentOf = (options: Agent.Options) =>
  Effect.acquireRelease(Effect.sync(() => new Agent(options)), (agent) => Effect.promise(() => agent.destroy()))
