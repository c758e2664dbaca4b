import { escaped } from "./Mrkdwn.ts"
import { type Fields, fieldsIn, firstText, listIn, textIn } from "./SlackFields.ts"

/** The text of blocks in the platform's markup, without styles; empty where they have none. */
export const blocksText = (blocks: unknown): string => joined(listIn(blocks).map(blockText))

const joined = (lines: ReadonlyArray<string>): string => lines.filter((line) => line.trim() !== "").join("\n")

const blockText = (block: Fields): string => {
  switch (block["type"]) {
    case "rich_text":
      return joined(listIn(block["elements"]).map(richText))
    case "context":
      return listIn(block["elements"]).map(objectText).filter((text) => text !== "").join(" ")
    case "markdown":
      return escaped(textIn(block["text"]))
    case "image":
    case "video":
      return link(
        firstText(block, "image_url", "video_url", "title_url"),
        objectText(block["title"]) || escaped(textIn(block["alt_text"]))
      )
    case "table":
      return joined(
        (Array.isArray(block["rows"]) ? block["rows"] : []).map((row) => listIn(row).map(cellText).join(" | "))
      )
    default:
      return joined([objectText(block["text"]), ...listIn(block["fields"]).map(objectText)])
  }
}

/** A text object has the markup already; an image in a line of context has a description. */
const objectText = (value: unknown): string => {
  const { alt_text, text } = fieldsIn(value)
  return textIn(text) || escaped(textIn(alt_text))
}

const cellText = (cell: Fields): string => {
  if (cell["type"] === "rich_text") return blockText(cell).replaceAll("\n", " ")
  const { text, value } = cell
  return escaped(textIn(text) || (typeof value === "number" ? String(value) : textIn(value)))
}

const richText = (element: Fields): string => {
  const elements = listIn(element["elements"])
  switch (element["type"]) {
    case "rich_text_list": {
      const indent = "    ".repeat(Math.min(Math.max(Number(element["indent"]) || 0, 0), 8))
      const start = (Number(element["offset"]) || 0) + 1
      const mark = (at: number) => element["style"] === "ordered" ? `${start + at}.` : "•"
      const list = elements.map((item, at) => `${indent}${mark(at)} ${inlineText(item)}`).join("\n")
      return isQuote(element) ? quoted(list) : list
    }
    case "rich_text_quote":
      return quoted(inlineText(element))
    case "rich_text_preformatted":
      return `\`\`\`\n${inlineText(element)}\n\`\`\``
    default:
      return inlineText(element)
  }
}

const quoted = (text: string): string => text.split("\n").map((line) => `&gt; ${line}`).join("\n")

/** A list within a quote has its border. */
const isQuote = ({ border, type }: Fields): boolean =>
  type === "rich_text_quote" || (type === "rich_text_list" && Number(border) > 0)

/** Whether blocks have quotes, which a text without blocks may not mark line by line. */
export const haveQuotes = (blocks: unknown): boolean =>
  listIn(blocks).some((block) => listIn(block["elements"]).some(isQuote))

const inlineText = (section: Fields): string => listIn(section["elements"]).map(inline).join("")

const inline = (element: Fields): string => {
  const text = escaped(textIn(element["text"]))
  switch (element["type"]) {
    case "link":
      return link(firstText(element, "url"), text)
    case "user":
      return `<@${textIn(element["user_id"])}>`
    case "channel":
      return `<#${textIn(element["channel_id"])}>`
    case "usergroup":
      return `<!subteam^${textIn(element["usergroup_id"])}>`
    case "broadcast":
      return `<!${textIn(element["range"])}>`
    case "emoji":
      return `:${textIn(element["name"])}:`
    case "date":
      return escaped(firstText(element, "fallback") ?? String(element["timestamp"]))
    case "color":
      return escaped(textIn(element["value"]))
    default:
      return text
  }
}

export const link = (url: string | null, label: string): string => {
  if (url === null) return label
  return label === "" ? `<${escaped(url)}>` : `<${escaped(url)}|${label.replaceAll(/[<>|]/g, " ")}>`
}
