import { visibleText } from "@troupe/domain/Text"

/** The name of a user or channel of the platform; null: unknown. */
export type NameOf = (id: string) => string | null

/** A message of the chat platform as plain text: mentions by name, links with their address, entities as characters. */
export const plainText = (text: string, nameOf: NameOf): string =>
  visibleText(
    text.replace(/<([^<>]*)>/g, (_, inner: string) => plainMarkup(inner, nameOf))
      .replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")
  )

const plainMarkup = (markup: string, nameOf: NameOf): string => {
  const bar = markup.indexOf("|")
  const target = bar === -1 ? markup : markup.slice(0, bar)
  const label = bar === -1 ? "" : markup.slice(bar + 1)
  const id = target.slice(1)
  switch (target[0]) {
    case "@":
      return `@${nameOf(id) ?? (label || id)}`
    case "#":
      return `#${label || (nameOf(id) ?? id)}`
    case "!":
      return specialMention(id, label)
    default: {
      const address = target.replace(/^mailto:/, "")
      if (label === "" || label === address) return address
      // Nobody has written the address that a link hides: it names no recipient.
      return address === target ? `${label} (${address})` : `${label} ("mailto ${address}")`
    }
  }
}

/** Of everybody here, of a group of users, or a date, whose label is its text. */
const specialMention = (mention: string, label: string): string => {
  const [kind = "", id] = mention.split("^")
  if (/^(?:channel|everyone|here)$/.test(kind)) return `@${kind}`
  return label || `@${id ?? kind}`
}

const mentioned = (pattern: RegExp) => (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(pattern), ([, id = ""]) => id)

/** The ids of the users that a message mentions. */
export const mentionedUsers = mentioned(/<@([A-Z0-9]{1,32})(?:\|[^<>|]*)?>/g)

/** The ids of the channels that a message refers to. */
export const mentionedChannels = mentioned(/<#([A-Z0-9]{1,32})(?:\|[^<>|]*)?>/g)

/** The spaces around the mention, and a colon or comma behind it, go with it. */
export const withoutMention = (text: string, user: string): string => {
  const visible = visibleText(text)
  return visible.replace(
    /<@([A-Z0-9]{1,32})(?:\|[^<>|]*)?>[^\S\n]*[,:，：、]?[^\S\n]*/g,
    (all, id: string, at: number) => id !== user ? all : /\s/.test(visible.charAt(at - 1)) ? "" : " "
  ).trim()
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
