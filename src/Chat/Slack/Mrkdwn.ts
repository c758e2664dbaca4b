import { withHardBreaks } from "@troupe/domain/Text"
import MarkdownIt, { type Token } from "markdown-it"

const markdownIt = new MarkdownIt({ html: false, linkify: true })

/** The three characters that the platform reads as markup. Escaped text mentions and links nobody. */
export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

interface Walk {
  readonly lines: Array<string>
  readonly lists: Array<{ number: number | null }>
  quotes: number
  isHeading: boolean
  /** The bullet or number of an item whose first block comes next. */
  marker: string | null
  rows: Array<Array<string>>
  isInTable: boolean
}

/**
 * Markdown in the markup of the chat platform, which shows every line break: a soft one, within a paragraph, becomes a
 * space. Raw HTML stays visible, and tables become columns of fixed width.
 */
export const mrkdwnOf = (markdown: string): string => {
  const walk: Walk = {
    lines: [],
    lists: [],
    quotes: 0,
    isHeading: false,
    marker: null,
    rows: [],
    isInTable: false
  }
  for (const token of markdownIt.parse(markdown, {})) steps[token.type]?.(walk, token)
  return walk.lines.join("\n")
}

/** The same of what a person has typed as plain text, whose lines stay apart. */
export const mrkdwnOfLines = (text: string): string => mrkdwnOf(withHardBreaks(text))

const openList = (number: number | null) => ({ lists }: Walk) => void lists.push({ number })

const closeList = ({ lists }: Walk) => void lists.pop()

const writeCode = (walk: Walk, { content }: Token) => block(walk, codeBlock(content))

const steps: Readonly<Record<string, (walk: Walk, token: Token) => void>> = {
  heading_open: (walk) => void (walk.isHeading = true),
  heading_close: (walk) => void (walk.isHeading = false),
  blockquote_open: (walk) => void walk.quotes++,
  blockquote_close: (walk) => void walk.quotes--,
  bullet_list_open: openList(null),
  ordered_list_open: (walk, token) => openList(Number(token.attrGet("start") ?? 1))(walk),
  bullet_list_close: closeList,
  ordered_list_close: closeList,
  list_item_open: (walk) => void (walk.marker = nextMarker(walk)),
  fence: writeCode,
  code_block: writeCode,
  hr: (walk) => block(walk, "———"),
  table_open: (walk) => {
    walk.isInTable = true
    walk.rows = []
  },
  tr_open: ({ rows }) => void rows.push([]),
  table_close: (walk) => {
    walk.isInTable = false
    block(walk, codeBlock(columns(walk.rows)))
  },
  inline: (walk, { children }) => {
    const tokens = children ?? []
    if (walk.isInTable) walk.rows.at(-1)?.push(tokens.map(({ content }) => content).join(""))
    else block(walk, walk.isHeading ? `*${inline(tokens, true)}*` : inline(tokens))
  }
}

const nextMarker = ({ lists }: Walk): string => {
  const list = lists.at(-1)
  return list === undefined || list.number === null ? "•" : `${list.number++}.`
}

const block = (walk: Walk, text: string): void => {
  const depth = Math.max(0, walk.lists.length - 1)
  const isContinued = walk.lists.length > 0 && (walk.marker !== null ? walk.lines.length > 0 && isItem(walk) : true)
  const quote = walk.quotes > 0 ? "> " : ""
  if (walk.lines.length > 0 && !isContinued) walk.lines.push(quote === "" ? "" : quote.trim())
  const indent = "    ".repeat(depth)
  const rest = walk.lists.length > 0 ? `${indent}   ` : ""
  const [first = "", ...others] = text.split("\n")
  walk.lines.push(
    `${quote}${walk.marker === null ? rest : `${indent}${walk.marker} `}${first}`,
    ...others.map((line) => `${quote}${rest}${line}`)
  )
  walk.marker = null
}

/** Whether the line before belongs to a list, so that no blank line separates the two. */
const isItem = ({ lines, lists }: Walk): boolean =>
  lists.length > 1 || /^(?:> )? *(?:•|\d+\.|  ) ?/.test(lines.at(-1) ?? "")

const tick = "`"

const codeBlock = (content: string): string => {
  const mark = tick.repeat(3)
  return `${mark}\n${escaped(content.replaceAll(mark, "'''").trimEnd())}\n${mark}`
}

const columns = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  return rows.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ").trimEnd()).join("\n")
}

const marks: Readonly<Record<string, string>> = { strong: "*", em: "_", s: "~" }

/** In a heading, which is bold as a whole, bold words need no marks. */
const inline = (tokens: ReadonlyArray<Token>, isBold = false): string => {
  let text = ""
  let link: { readonly href: string; readonly outer: string } | null = null
  for (const token of tokens) {
    const mark = marks[token.type.replace(/_(?:open|close)$/, "")]
    if (mark !== undefined) text += isBold && mark === "*" ? "" : mark
    else if (token.type === "link_open") {
      link = { href: String(token.attrGet("href") ?? ""), outer: text }
      text = ""
    } else if (token.type === "link_close") {
      if (link !== null) text = link.outer + linkText(link.href, text)
      link = null
    } else if (token.type === "softbreak") text += " "
    else if (token.type === "hardbreak") text += "\n"
    else if (token.type === "code_inline") text += `${tick}${escaped(token.content)}${tick}`
    else if (token.type === "image") text += escaped(token.content || "image")
    else text += escaped(token.content)
  }
  return text
}

/** Only addresses that can be opened; the label can't end the markup early. */
const linkText = (href: string, label: string): string => {
  if (!/^(?:https?|mailto):/i.test(href)) return label
  const address = escaped(href).replaceAll("|", "%7C")
  const text = label.replaceAll("|", "¦").replaceAll("\n", " ")
  return text === "" || text === address ? `<${address}>` : `<${address}|${text}>`
}
