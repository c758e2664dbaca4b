import { visibleText } from "@troupe/domain/Text"
import type { ChatText } from "../ChatText.ts"

/** What mrkdwn says: links with their address, entities as characters, mentions as parts. */
export const textOf = (mrkdwn: string): ChatText => {
  const parts: Array<ChatText[number]> = []
  let plain = ""
  let end = 0
  const flush = () => {
    if (plain !== "") parts.push(visibleText(plain))
    plain = ""
  }
  for (const { 0: markup, 1: inner = "", index } of mrkdwn.matchAll(/<([^<>]*)>/g)) {
    plain += unescaped(mrkdwn.slice(end, index))
    end = index + markup.length
    const read = partOf(inner)
    if (typeof read === "string") plain += read
    else {
      flush()
      parts.push(read)
    }
  }
  plain += unescaped(mrkdwn.slice(end))
  flush()
  return parts
}

const unescaped = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")

const kinds = { "@": "user", "#": "channel" } as const

const partOf = (markup: string): ChatText[number] => {
  const bar = markup.indexOf("|")
  const target = unescaped(bar === -1 ? markup : markup.slice(0, bar))
  const label = unescaped(bar === -1 ? "" : markup.slice(bar + 1))
  const [sign] = target
  const id = target.slice(1)
  if (sign === "@" || sign === "#") {
    return /^[A-Z0-9]{1,32}$/.test(id) ? { kind: kinds[sign], id, label } : `${sign}${label || id}`
  }
  if (sign === "!") return specialMention(id, label)
  const address = target.replace(/^mailto:/, "")
  if (label === "" || label === address) return address
  // Nobody has written the address that a link hides: it names no recipient.
  return address === target ? `${label} (${address})` : `${label} ("mailto ${address}")`
}

/** Of everybody here, of a group of users, or a date, whose label is its text. */
const specialMention = (mention: string, label: string): string => {
  const [kind = "", id] = mention.split("^")
  if (/^(?:channel|everyone|here)$/.test(kind)) return `@${kind}`
  return label || `@${id ?? kind}`
}

/** The platform recommends at most 4,000 characters for a message. */
const maxMessage = 4_000

const codeMark = "```"

/** Splits a message, if possible between paragraphs, lines or words, never within a link, an entity or a character. */
export const splitMessage = (text: string, limit = maxMessage): ReadonlyArray<string> => {
  const parts: Array<string> = []
  // For the marks that end and begin a code block.
  const room = limit - 2 * (codeMark.length + 1)
  let rest = text
  let isCode = false
  while (rest.length > room) {
    const end = cutOf(rest, room)
    const part = rest.slice(0, end)
    const opened = isCode
    if (isOdd(part)) isCode = !isCode
    parts.push(`${opened ? `${codeMark}\n` : ""}${part.trimEnd()}${isCode ? `\n${codeMark}` : ""}`)
    rest = rest.slice(end).replace(/^\n+/, "")
  }
  if (rest !== "" || parts.length === 0) parts.push(isCode ? `${codeMark}\n${rest}` : rest)
  return parts
}

const isOdd = (part: string): boolean => part.split(codeMark).length % 2 === 0

const cutOf = (text: string, limit: number): number => {
  for (const boundary of ["\n\n", "\n", " "]) {
    const at = text.lastIndexOf(boundary, limit - boundary.length)
    if (at >= limit / 2 && !isInMarkup(text, at)) return at + boundary.length
  }
  const opened = text.lastIndexOf("<", limit - 1)
  if (opened > 0 && isInMarkup(text, limit)) return opened
  const entity = text.lastIndexOf("&", limit - 1)
  if (entity > limit - 5 && entity > 0 && /^&(?:amp|lt|gt);/.test(text.slice(entity, entity + 5))) return entity
  // Before the mark of a code block, and before the first half of a surrogate pair.
  const ticks = text.slice(0, limit).search(/`{1,2}$/)
  if (ticks > 0 && text[limit] === "`") return ticks
  return /[\uD800-\uDBFF]$/.test(text.slice(limit - 1, limit)) ? limit - 1 : limit
}

const isInMarkup = (text: string, at: number): boolean => {
  const opened = text.lastIndexOf("<", at - 1)
  if (opened === -1) return false
  const closed = text.indexOf(">", opened)
  return closed !== -1 && closed >= at
}
