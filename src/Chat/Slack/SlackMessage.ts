import type { ChatContent, ChatFile, QuotedMessage } from "../ChatContent.ts"
import { textOf } from "./MrkdwnText.ts"
import { blocksText, haveQuotes, link } from "./SlackBlocks.ts"
import { type Fields, fieldsIn, firstText, listIn, textIn } from "./SlackFields.ts"

/**
 * What a message of an event or of a history says. A person's own words are in the text and its blocks: attachments are
 * messages of others, tables and the like, and previews of links, which count only where nothing else is there. Those
 * of a bot are its own words.
 */
export const contentOf = (given: unknown): ChatContent => {
  const message = fieldsIn(given)
  const attachments = listIn(message["attachments"])
  const isBot = firstText(message, "bot_id") !== null || message["subtype"] === "bot_message"
  const text = joined([
    ownText(message),
    ...isBot ? attachments.filter((one) => !isMessage(one)).map(attachmentText) : []
  ])
  const files = listIn(message["files"]).map(fileOf)
  const quoted = attachments.filter((one) => isMessage(one) || (!isBot && !isPreview(one)))
  const isEmpty = text === "" && files.length === 0 && quoted.length === 0
  return {
    text: textOf(text),
    quoted: (isEmpty ? attachments : quoted).flatMap((one) => quotedIn(one, 1)).filter(hasContent),
    files
  }
}

/** A message is named also where the platform shows nothing of it. */
const hasContent = ({ files, kind, text }: QuotedMessage): boolean =>
  kind !== "attached" || text.length > 0 || files.length > 0

/** The text of a message that has a table leaves the table out. */
const ownText = ({ blocks, text }: Fields): string =>
  textIn(text).trim() === "" || haveQuotes(blocks)
    ? blocksText(blocks)
    : joined([textIn(text), blocksText(listIn(blocks).filter(({ type }) => type === "table"))])

const joined = (texts: ReadonlyArray<string>): string => texts.filter((text) => text.trim() !== "").join("\n")

const flags = ["is_share", "is_msg_unfurl", "is_reply_unfurl", "is_thread_root_unfurl"]

const isMessage = (attachment: Fields): boolean =>
  flags.some((flag) => attachment[flag] === true) || listIn(attachment["message_blocks"]).length > 0
  || listIn(attachment["files"]).length > 0

const isPreview = (attachment: Fields): boolean =>
  attachment["is_app_unfurl"] === true
  || firstText(attachment, "from_url", "original_url", "app_unfurl_url", "title_link", "service_name") !== null

const kindOf = (attachment: Fields): QuotedMessage["kind"] => {
  if (attachment["is_share"] === true) return "forwarded"
  if (flags.some((flag) => attachment[flag] === true)) return "linked"
  return isMessage(attachment) ? "forwarded" : "attached"
}

const maxDepth = 4

/** The message of an attachment, and those that it has forwarded itself. */
const quotedIn = (attachment: Fields, depth: number): ReadonlyArray<QuotedMessage> => {
  const inner = messagesOf(attachment)
  const nested = [attachment, ...inner].flatMap(({ attachments }) => listIn(attachments))
  const further = nested.filter(isMessage)
  const one = {
    kind: kindOf(attachment),
    author: {
      id: firstText(attachment, "author_id"),
      name: firstText(attachment, "author_name", "author_subname", "service_name")
    },
    channel: { id: firstText(attachment, "channel_id"), name: firstText(attachment, "channel_name") },
    at: timeOf(attachment["ts"]),
    url: firstText(attachment, "from_url", "original_url"),
    text: textOf(joined([
      attachmentText(attachment),
      ...nested.filter((part) => !isMessage(part)).map(attachmentText),
      depth < maxDepth || further.length === 0 ? "" : "[What it forwards itself was left out.]"
    ])),
    files: [attachment, ...inner].flatMap(({ files }) => listIn(files)).map(fileOf)
  }
  return [
    one,
    ...(depth < maxDepth ? further.flatMap((part) => quotedIn(part, depth + 1)) : [])
  ]
}

/** A message's time is its id too. */
const timeOf = (ts: unknown): number | null => /^\d{9,11}(?:\.\d+)?$/.test(String(ts)) ? Number(ts) : null

const messagesOf = (attachment: Fields): ReadonlyArray<Fields> =>
  listIn(attachment["message_blocks"]).map(({ message }) => fieldsIn(message))

/** What an attachment shows. */
const attachmentText = (attachment: Fields): string => {
  const inBlocks = [...messagesOf(attachment), attachment].map(({ blocks, text }) => blocksText(blocks) || textIn(text))
  const title = firstText(attachment, "title")
  const shown = joined([
    textIn(attachment["pretext"]),
    title === null ? "" : link(firstText(attachment, "title_link"), title),
    firstText(attachment, "text") ?? joined(inBlocks),
    ...listIn(attachment["fields"]).map(fieldText)
  ])
  return shown || fallbackOf(attachment) || link(firstText(attachment, "image_url", "thumb_url"), "")
}

const fieldText = ({ title, value }: Fields): string =>
  [textIn(title), textIn(value)].filter((text) => text !== "").join(": ")

/** Where nothing is shown, the platform's summary, unless it says just that. */
const fallbackOf = (attachment: Fields): string => {
  const text = firstText(attachment, "fallback") ?? ""
  return /^\[[^\]]*\]$/.test(text.trim()) ? "" : text
}

/** A file of a message, or as `files.info` describes it. */
export const fileOf = (file: Fields): ChatFile => {
  const { mode, size } = file
  const url = firstText(file, "url_private_download", "url_private")
  const isSnippet = mode === "snippet"
  return {
    id: textIn(file["id"]),
    name: isSnippet ? snippetName(firstText(file, "name", "title") ?? "snippet") : firstText(file, "name", "title"),
    contentType: isSnippet ? "text/plain" : firstText(file, "mimetype"),
    size: typeof size === "number" && size > 0 ? size : null,
    // The description of a file of another workspace may be out of date.
    downloadUrl: file["file_access"] === "check_file_info" ? null : url,
    unavailable: whyNot(file)
  }
}

/** A snippet is plain text, in whatever language. */
const snippetName = (name: string): string => /\.(?:txt|md|csv|json)$/i.test(name) ? name : `${name}.txt`

const denied: Readonly<Record<string, string>> = {
  access_denied: "the chat platform denies access to it",
  file_not_found: "it was deleted, or is not shared with this app"
}

/** Documents of the platform itself, which it sends as web pages. */
const documents: ReadonlyArray<string> = ["canvas", "docs", "list", "post", "quip", "space"]

const whyNot = (file: Fields): string | null => {
  const mode = textIn(file["mode"])
  if (mode === "tombstone") return "it was deleted"
  if (mode === "hidden_by_limit") return "the chat platform hides it, because the workspace's plan keeps no older files"
  if (file["is_external"] === true || mode === "external") {
    const where = firstText(file, "external_type", "pretty_type") ?? "another service"
    const url = firstText(file, "external_url", "url_private", "permalink")
    return `it is stored outside of the chat platform (${where}${url === null ? "" : `, ${url}`}); upload it as a file`
  }
  if (documents.includes(mode)) return `it is a ${mode} of the chat platform, not a file; export and upload it`
  return denied[textIn(file["file_access"])] ?? null
}
