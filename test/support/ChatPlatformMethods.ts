import {
  botId,
  botUserId,
  type FakeChannel,
  type FakeFile,
  type FakeMessage,
  type PlatformState,
  teamId
} from "./ChatPlatformState.ts"

export type Args = Readonly<Record<string, string>>
export type Answer = Readonly<Record<string, unknown>> | string

/** What a method answers: a text is the code of an error. */
type Method = (state: PlatformState, args: Args, base: string) => Answer

/** Answers as the platform does; what it does not know, it refuses. */
export const answerOf = (state: PlatformState, name: string, args: Args, base: string): Answer => {
  const [required, method] = methods[name] ?? [[], () => "unknown_method"]
  const missing = required.find((field) => (args[field] ?? "") === "")
  return missing === undefined ? method(state, args, base) : `invalid_arguments ${missing}`
}

const parsed = (text: string | undefined): unknown => {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return null
  }
}

const page = <A>(all: ReadonlyArray<A>, args: Args, max: number) => {
  const limit = args["limit"] === undefined ? 100 : Number(args["limit"])
  const cursor = args["cursor"] ?? ""
  const start = cursor === "" ? 0 : Number(/^next:(\d+)$/.exec(Buffer.from(cursor, "base64").toString())?.[1] ?? NaN)
  if (!Number.isInteger(limit) || limit < 1 || limit > max) return "invalid_limit"
  if (Number.isNaN(start)) return "invalid_cursor"
  const next = start + limit < all.length ? Buffer.from(`next:${start + limit}`).toString("base64") : ""
  return { items: all.slice(start, start + limit), response_metadata: { next_cursor: next } }
}

const isVisible = ({ is_private, members }: FakeChannel) => !is_private || members.has(botUserId)

const channelView = ({ members, purpose, topic, ...channel }: FakeChannel) => ({
  ...channel,
  is_channel: true,
  is_member: members.has(botUserId),
  num_members: members.size,
  topic: { value: topic, creator: "", last_set: 0 },
  purpose: { value: purpose, creator: "", last_set: 0 }
})

export const messageView = (message: FakeMessage, base: string, withMetadata: boolean) => ({
  type: "message",
  user: message.user,
  ts: message.ts,
  text: message.text,
  ...(message.thread_ts === null ? {} : { thread_ts: message.thread_ts }),
  ...(message.bot_id === null ? {} : { bot_id: message.bot_id }),
  ...(message.subtype === null ? {} : { subtype: message.subtype }),
  ...(message.client_msg_id === null ? {} : { client_msg_id: message.client_msg_id }),
  ...(message.blocks.length === 0 ? {} : { blocks: message.blocks }),
  ...(withMetadata && message.metadata !== undefined ? { metadata: message.metadata } : {}),
  ...(message.files.length === 0 ? {} : {
    files: message.files.map((file) => fileView(file, base))
  }),
  ...message.fields
})

const fileView = ({ fields, id, name, size }: FakeFile, base: string) => ({
  id,
  name,
  size,
  mode: "hosted",
  url_private_download: `${base}files-pri/${id}/${encodeURIComponent(name)}`,
  ...fields
})

/** Whether we may write there: null, or the code of the error. */
const writable = (state: PlatformState, channel: string): string | null => {
  if (state.isDirectMessage(channel)) return null
  const found = state.channels.get(channel)
  if (found === undefined || !isVisible(found)) return "channel_not_found"
  if (found.is_archived) return "is_archived"
  return found.members.has(botUserId) ? null : "not_in_channel"
}

const wrongText = ({ blocks, text }: Args): string | null => {
  const given = parsed(blocks)
  if (blocks !== undefined && (!Array.isArray(given) || given.length > 50)) return "invalid_blocks"
  if ((text ?? "").length > 40_000) return "msg_too_long"
  return (text ?? "") === "" && blocks === undefined ? "no_text" : null
}

const wrongThread = (state: PlatformState, { channel, thread_ts }: Args): string | null =>
  thread_ts === undefined || state.messages.some((one) => one.channel === channel && one.ts === thread_ts)
    ? null
    : "thread_not_found"

const blocksOf = ({ blocks }: Args): ReadonlyArray<unknown> => {
  const given = parsed(blocks)
  return Array.isArray(given) ? given : []
}

const postMessage: Method = (state, args) => {
  const { channel = "", client_msg_id, metadata, text = "", thread_ts } = args
  const wrong = writable(state, channel) ?? wrongText(args) ?? wrongThread(state, args)
  if (wrong !== null) return wrong
  if (client_msg_id !== undefined && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(client_msg_id)) {
    return "invalid_client_msg_id"
  }
  const known = client_msg_id !== undefined && state.recognisesRepeats
  const message = state.messages.find((one) => known && one.client_msg_id === client_msg_id)
    ?? state.add({
      channel,
      text,
      user: botUserId,
      bot_id: botId,
      thread_ts: thread_ts ?? null,
      client_msg_id: client_msg_id ?? null,
      blocks: blocksOf(args),
      metadata: parsed(metadata)
    })
  return { channel, ts: message.ts, message: messageView(message, "", true) }
}

const completeUpload: Method = (state, args) => {
  const { channel_id = "", initial_comment = "", thread_ts } = args
  const given = parsed(args["files"])
  const ids = Array.isArray(given) ? given.map((file: { readonly id?: unknown }) => String(file.id)) : []
  const files = ids.flatMap((id) => state.files.get(id) ?? [])
  if (ids.length === 0) return "invalid_arguments files"
  if (files.length !== ids.length || files.some(({ content }) => content === null)) return "file_not_found"
  const wrong = writable(state, channel_id) ?? wrongThread(state, { ...args, channel: channel_id })
  if (wrong !== null) return wrong
  const from = { user: botUserId, bot_id: botId, subtype: "file_share" }
  state.add({ ...from, channel: channel_id, text: initial_comment, thread_ts: thread_ts ?? null, files })
  return { files: files.map(({ id, name }) => ({ id, title: name })) }
}

const listed = <A>(key: string, all: ReadonlyArray<A>, args: Args, max: number): Answer => {
  const found = page(all, args, max)
  return typeof found === "string"
    ? found
    : { [key]: found.items, response_metadata: found.response_metadata }
}

const conversation = (
  method: (state: PlatformState, channel: FakeChannel, args: Args) => Answer
): Method =>
(state, args) => {
  const channel = state.channels.get(args["channel"] ?? "")
  return channel === undefined || !isVisible(channel) ? "channel_not_found" : method(state, channel, args)
}

const messagesOf = (
  all: ReadonlyArray<FakeMessage>,
  args: Args,
  base: string,
  isWanted: (message: FakeMessage) => boolean
): Answer => {
  const found = all.filter((message) => message.channel === args["channel"] && isWanted(message))
  const withMetadata = args["include_all_metadata"] === "true"
  return listed("messages", found.map((one) => messageView(one, base, withMetadata)), args, 1000)
}

const methods: Readonly<Record<string, readonly [required: ReadonlyArray<string>, method: Method]>> = {
  "auth.test": [[], () => ({
    url: "https://chat.example.org/",
    team: "Example",
    team_id: teamId,
    user: "troupe",
    user_id: botUserId,
    bot_id: botId
  })],
  "chat.postMessage": [["channel"], postMessage],
  "chat.update": [["channel", "ts"], (state, args) => {
    const wrong = writable(state, args["channel"] ?? "") ?? wrongText(args)
    if (wrong !== null) return wrong
    const message = state.messages.find((one) => one.channel === args["channel"] && one.ts === args["ts"])
    if (message === undefined) return "message_not_found"
    if (message.user !== botUserId) return "cant_update_message"
    Object.assign(message, { text: args["text"] ?? "", blocks: blocksOf(args) })
    return { channel: message.channel, ts: message.ts, text: message.text }
  }],
  "files.info": [["file"], (state, { file = "" }, base) => {
    const found = state.files.get(file)
    return found === undefined ? "file_not_found" : { file: fileView(found, base) }
  }],
  "files.getUploadURLExternal": [["filename", "length"], (state, { filename = "", length = "" }, base) => {
    const id = `F${state.files.size + 1}`
    state.files.set(id, { id, name: filename, size: Number(length), content: null })
    return { file_id: id, upload_url: `${base}upload/v1/${id}` }
  }],
  "files.completeUploadExternal": [["files", "channel_id"], completeUpload],
  "users.info": [["user"], (state, { user = "" }) => {
    const found = state.users.get(user)
    return found === undefined ? "user_not_found" : { user: found }
  }],
  "users.list": [[], (state, args) => listed("members", [...state.users.values()], args, 1000)],
  "conversations.list": [[], (state, args) => {
    const visible = [...state.channels.values()].filter((one) =>
      isVisible(one) && (one.is_private ? args["types"]?.includes("private_channel") === true : true)
      && !(one.is_archived && args["exclude_archived"] === "true")
    )
    return listed("channels", visible.map(channelView), args, 1000)
  }],
  "conversations.info": [["channel"], (state, args, base) =>
    state.isDirectMessage(args["channel"] ?? "")
      ? { channel: { id: args["channel"], is_im: true } }
      : conversation((_, channel) => ({ channel: channelView(channel) }))(state, args, base)],
  "conversations.members": [
    ["channel"],
    conversation((_, channel, args) => listed("members", [...channel.members], args, 1000))
  ],
  "conversations.open": [
    ["users"],
    (state, { users = "" }) =>
      state.users.has(users) ? { channel: { id: state.directMessage(users) } } : "user_not_found"
  ],
  "conversations.replies": [
    ["channel", "ts"],
    (state, args, base) =>
      wrongThread(state, { ...args, thread_ts: args["ts"] ?? "" })
        ?? messagesOf(state.messages, args, base, ({ thread_ts, ts }) =>
          ts === args["ts"] || (thread_ts === args["ts"] && ts >= (args["oldest"] ?? "")))
  ],
  "conversations.history": [["channel"], (state, args, base) =>
    writable(state, args["channel"] ?? "")
      ?? messagesOf(state.messages.toReversed(), args, base, ({ thread_ts, ts }) =>
        thread_ts === null && ts > (args["oldest"] ?? ""))]
}
