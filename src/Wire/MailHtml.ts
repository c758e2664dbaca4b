import { convert } from "html-to-text"
import { Parser } from "htmlparser2"
import { type Color, colorOf, isHiding, isTooSmall, isUnseen, rulesOf, type Style, styleOf } from "./HtmlStyles.ts"

/** The converter's time grows with the square of the depth: this much takes 50 ms at worst, 1 MB takes 15 s. */
const maxHtml = 60_000

export interface HtmlText {
  /** What people see, with the quotes marked by `>`. */
  readonly shown: string
  /** The text that nobody sees. */
  readonly hidden: string
}

export const textOfHtml = (html: string): HtmlText => {
  const { sheets, unstyled } = withoutStyles(html)
  const { hidden, html: read } = shownHtml(unstyled.slice(0, maxHtml), sheets)
  const converted = convert(read, {
    wordwrap: false,
    limits: { maxDepth: 100, maxChildNodes: 10_000, ellipsis: "[...]" },
    selectors: [
      { selector: "img", format: "skip" },
      { selector: "tr", format: "block", options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
      ...["td", "th"].map((selector) => ({ selector, format: "inlineSurround", options: { suffix: " " } })),
      { selector: "a", options: { hideLinkHrefIfSameAsText: true, noAnchorUrl: true } },
      ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } }))
    ]
  })
  return {
    shown: unstyled.length <= maxHtml
      ? converted
      : `${converted}\n\n[This is the first part of a long HTML text; the rest was left out.]`,
    hidden
  }
}

/** Style sheets may be longer than the text. One search for each, so that the time stays linear. */
const withoutStyles = (html: string): { readonly unstyled: string; readonly sheets: ReadonlyArray<string> } => {
  const [first = "", ...styles] = html.split(/<style\b/i)
  const ends = styles.map((style) => style.search(/<\/style\s*>|$/i))
  return {
    unstyled: first + styles.map((style, at) => style.slice(ends[at])).join(""),
    sheets: styles.map((style, at) => style.slice(style.indexOf(">") + 1, ends[at]))
  }
}

export interface ShownHtml {
  /** What people see, with `blockquote` around all that mail programs mark as a quote. */
  readonly html: string
  /** The text that nobody sees. */
  readonly hidden: string
}

type Attributes = Readonly<Record<string, string>>

interface OpenElement {
  readonly name: string
  readonly end: string
  readonly isHidden: boolean
  readonly isSmall: boolean
  readonly color: Color | null
  readonly background: Color | null
}

/** Of the cells that begin the rows of a table, those with a colon at the end. */
interface OpenTable {
  readonly at: number
  labels: number
  cells: number
  text: string
}

const root: OpenElement = {
  name: "",
  end: "",
  isHidden: false,
  isSmall: false,
  color: [0, 0, 0],
  background: [255, 255, 255]
}

const namesIn = (text: string): ReadonlySet<string> => new Set(text.split(" "))

const code = namesIn("script style")
const unshown = namesIn(
  "title template rp option datalist textarea dialog iframe object audio video canvas svg noframes noembed"
)
const inTables = namesIn("table thead tbody tfoot tr td th")
const empty = namesIn("br hr img input wbr meta link col")

/** Names that mail programs give to the elements which hold what they quote; `x_` is before those of a mail within another. */
const quoting =
  /quote|(?:^|[^a-z])cite|moz-forward|rplyfwd|forwardcontent|replycontent|replysection|reply\d+content|(?:^|\s)qt(?:\s|$)|edo-original|hs_reply|origbody|orimsg|gmail_extra|zmail_extra|iosymail|reference-message|(?:^|\s)x_/i
/** What follows them is of another mail, too. */
const separating = /appendonsend|rplyfwd|reference-message|olk_src|stopspelling|zwchr|orimsg|outlookmessageheader/i

const isBorder = (value: string | undefined): boolean => value !== undefined && !/^0|none|hidden/.test(value)

/** A line at one side, where those who write from right to left have it, too. */
const isBordered = (style: Style): boolean =>
  ["border-left", "border-right", "border-inline-start", "border-left-width"].some((name) => isBorder(style.get(name)))
  || isBorder(style.get("border-width")?.split(" ")[3]) || isBorder(style.get("border-style")?.split(" ")[3])

/** Outlook's line above the mail that is answered. */
const isRuled = (name: string, style: Style): boolean =>
  name === "div" && isBorder(style.get("border-top")) && style.get("border")?.startsWith("none") === true

const isQuote = (name: string, style: Style, { type }: Attributes, names: string): boolean =>
  name === "blockquote" || name === "q" || name === "includetail" || type === "cite" || quoting.test(names) ||
  isBordered(style)

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** What a link hides from its reader stays no text: an address that its words do not show, and spaces. */
const attributesOf = ({ href = "", start, type }: Attributes): string => {
  const page = /^https?:/i.test(href) ? href.trim().replaceAll(/\s+/g, "%20") : undefined
  return Object.entries({ href: page, start, type })
    .map(([key, value]) => value === undefined ? "" : ` ${key}="${escaped(value).replaceAll("\"", "&quot;")}"`).join("")
}

const addressOf = ({ href = "" }: Attributes): string => /^\s*mailto:([^?]*)/i.exec(href)?.[1]?.trim() ?? ""

/** Null: an image, so that no text is known to be unseen. */
const backgroundOf = (style: Style, { bgcolor }: Attributes, inherited: Color | null): Color | null => {
  const value = style.get("background-color") ?? style.get("background") ?? bgcolor ?? ""
  const color = colorOf(value)
  return /url\(|gradient/.test(value) ? null : color === null || color === "none" ? inherited : color
}

/** Reads HTML as people see it: without text that its style hides, and with its quotes marked by structure, not by words. */
export const shownHtml = (html: string, sheets: ReadonlyArray<string>): ShownHtml => {
  const rules = rulesOf(sheets)
  const shown: Array<string> = []
  const hidden: Array<string> = []
  const open: Array<OpenElement> = []
  const tables: Array<OpenTable> = []
  const addresses = new Set<string>()

  const countLabel = (name: string) => {
    const table = tables.at(-1)
    if (table === undefined) return
    if (name === "tr") table.cells = 0
    else if (name === "td" || name === "th") {
      table.cells++
      table.text = ""
    }
  }

  const endCell = () => {
    const table = tables.at(-1)
    if (table?.cells === 1 && table.text.length <= 60 && /[:：]\s{0,20}$/.test(table.text)) table.labels++
  }

  /** A table of labels and values is the head of a mail. */
  const endTable = () => {
    const table = tables.pop()
    if (table === undefined || table.labels < 2) return
    shown[table.at] = `<hr><blockquote>${shown[table.at] ?? ""}`
    shown.push("</blockquote>")
  }

  const parser = new Parser({
    onopentag: (name, attributes) => {
      const parent = open.at(-1) ?? root
      const style = styleOf(name, attributes, rules)
      const names = `${attributes["class"] ?? ""} ${attributes["id"] ?? ""} ${attributes["name"] ?? ""} ${
        attributes["data-marker"] ?? ""
      }`
      const isWrapped = !inTables.has(name) && !empty.has(name) && isQuote(name, style, attributes, names)
      const isHidden = parent.isHidden || code.has(name) || unshown.has(name) || isHiding(style)
        || (name === "details" && attributes["open"] === undefined) || attributes["hidden"] !== undefined ||
        attributes["popover"] !== undefined ||
        attributes["aria-hidden"] === "true"
      addresses.add(addressOf(attributes))
      if (!isHidden) {
        if (name === "table") tables.push({ at: shown.length, labels: 0, cells: 0, text: "" })
        countLabel(name)
        shown.push(
          `${separating.test(names) || isRuled(name, style) ? "<hr>" : ""}${isWrapped ? "<blockquote>" : ""}<${name}${
            attributesOf(attributes)
          }>`
        )
      }
      open.push({
        name,
        end: isHidden || empty.has(name) ? "" : `</${name}>${isWrapped ? "</blockquote>" : ""}`,
        isHidden,
        isSmall: isTooSmall(style) ?? parent.isSmall,
        color: colorOf(
          style.get("-webkit-text-fill-color") ?? style.get("color") ?? attributes[name === "body" ? "text" : "color"]
        ) ?? parent.color,
        background: backgroundOf(style, attributes, parent.background)
      })
    },
    ontext: (text) => {
      const { background, color, isHidden, isSmall, name } = open.at(-1) ?? root
      if (code.has(name)) return
      if (isHidden || isSmall || isUnseen(color, background)) hidden.push(text)
      else {
        const table = tables.at(-1)
        if (table !== undefined) table.text += text
        shown.push(escaped(text))
      }
    },
    onclosetag: (name) => {
      const { end = "", isHidden = true } = open.pop() ?? {}
      if (isHidden) {
        hidden.push(" ")
        return
      }
      shown.push(end)
      if (name === "td" || name === "th") endCell()
      if (name === "table") endTable()
    }
  })
  parser.end(html)
  const read = shown.join("")
  const unnamed = [...addresses].filter((one) => one !== "" && !read.includes(escaped(one)))
  return { html: read, hidden: [hidden.join("").replaceAll(/\s+/g, " ").trim(), ...unnamed].filter(Boolean).join("\n") }
}
