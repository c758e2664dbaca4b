import {
  AlignmentType,
  BorderStyle,
  Document,
  HeadingLevel,
  type IParagraphOptions,
  LevelFormat,
  Packer,
  Paragraph,
  Table,
  TableCell,
  TableRow,
  TextRun,
  WidthType
} from "docx"
import { Effect } from "effect"
import MarkdownIt, { type Token } from "markdown-it"
import { DocumentUnreadable } from "./DocumentUnreadable.ts"
import { codeFont, printable, runsOf } from "./MarkdownInline.ts"

const markdownIt = new MarkdownIt({ html: false, linkify: true })

/** A Word document of the markdown. Raw HTML stays visible as text, and nothing is fetched. */
export const docxOf = (markdown: string): Effect.Effect<Uint8Array, DocumentUnreadable> =>
  Effect.tryPromise({
    try: () => Packer.toBuffer(documentOf(markdownIt.parse(markdown, {}))),
    catch: () => new DocumentUnreadable({ reason: "The markdown can't be converted. Write it in a simpler way." })
  })

/** An open list. `fresh`: its item has no paragraph yet, so the next paragraph gets the number. */
interface OpenList {
  readonly reference: string
  fresh: boolean
}

interface OrderedList {
  readonly reference: string
  readonly start: number
}

interface Walk {
  readonly blocks: Array<Paragraph | Table>
  readonly lists: Array<OpenList>
  /** Each list has its own numbering, so that it starts at 1. */
  readonly ordered: Array<OrderedList>
  readonly rows: Array<TableRow>
  cells: Array<TableCell>
  cell: { readonly header: boolean; readonly alignment: Alignment } | null
  quotes: number
  heading: number
}

type Alignment = "left" | "center" | "right"

const deepestLevel = 8
const indent = 720

const documentOf = (tokens: ReadonlyArray<Token>): Document => {
  const walk: Walk = { blocks: [], lists: [], ordered: [], rows: [], cells: [], cell: null, quotes: 0, heading: 0 }
  for (const token of tokens) step(walk, token)
  return new Document({
    numbering: { config: [bullets, ...walk.ordered.map(numbered)] },
    sections: [{ children: walk.blocks }]
  })
}

const step = (walk: Walk, token: Token): void => {
  switch (token.type) {
    case "heading_open":
      walk.heading = Number(token.tag.slice(1))
      break
    case "heading_close":
      walk.heading = 0
      break
    case "bullet_list_open":
      numberEmptyItem(walk)
      walk.lists.push({ reference: bullets.reference, fresh: false })
      break
    case "ordered_list_open": {
      numberEmptyItem(walk)
      const reference = `ordered-${walk.ordered.length + 1}`
      walk.ordered.push({ reference, start: Number(token.attrGet("start") ?? 1) })
      walk.lists.push({ reference, fresh: false })
      break
    }
    case "bullet_list_close":
    case "ordered_list_close":
      walk.lists.pop()
      break
    case "list_item_open": {
      const list = walk.lists.at(-1)
      if (list !== undefined) list.fresh = true
      break
    }
    case "list_item_close":
      numberEmptyItem(walk)
      break
    case "blockquote_open":
    case "blockquote_close":
      walk.quotes += token.nesting
      break
    case "hr":
      add(walk, { thematicBreak: true })
      break
    case "fence":
    case "code_block":
      add(walk, { children: codeRuns(token.content), shading: { fill: "F2F2F2" } })
      break
    case "tr_open":
      walk.cells = []
      break
    case "th_open":
    case "td_open":
      walk.cell = { header: token.type === "th_open", alignment: alignmentOf(token) }
      break
    case "th_close":
    case "td_close":
      walk.cell = null
      break
    case "tr_close":
      // Readers take even a "false" as set, so only the first row has the property.
      walk.rows.push(new TableRow({ children: walk.cells, ...(walk.rows.length === 0 ? { tableHeader: true } : {}) }))
      break
    case "table_close":
      walk.blocks.push(
        new Table({ rows: walk.rows.splice(0), width: { size: 100, type: WidthType.PERCENTAGE } }),
        // Word joins two tables with nothing between them.
        new Paragraph({})
      )
      break
    case "inline":
      if (walk.cell === null) add(walk, { children: runsOf(token.children ?? []) })
      else walk.cells.push(cellOf(walk.cell, token))
      break
  }
}

/** An item without text, or with only a list in it, shows its number too. */
const numberEmptyItem = (walk: Walk): void => {
  if (walk.lists.at(-1)?.fresh === true) add(walk, {})
}

const cellOf = ({ alignment, header }: NonNullable<Walk["cell"]>, token: Token): TableCell =>
  new TableCell({
    margins: { left: 100, right: 100 },
    children: [new Paragraph({ alignment, children: runsOf(token.children ?? [], header ? { bold: true } : {}) })]
  })

const alignmentOf = (token: Token): Alignment => {
  const style = String(token.attrGet("style") ?? "")
  return style.includes("center") ? "center" : style.includes("right") ? "right" : "left"
}

const headings = [
  HeadingLevel.HEADING_1,
  HeadingLevel.HEADING_2,
  HeadingLevel.HEADING_3,
  HeadingLevel.HEADING_4,
  HeadingLevel.HEADING_5,
  HeadingLevel.HEADING_6
]

const quoteLine = { left: { style: BorderStyle.SINGLE, size: 12, space: 8, color: "999999" } }

const add = (walk: Walk, options: IParagraphOptions): void => {
  const list = walk.lists.at(-1)
  const level = Math.min(walk.lists.length - 1, deepestLevel)
  const heading = headings[walk.heading - 1]
  const numbering = list?.fresh === true ? { numbering: { reference: list.reference, level } } : {}
  const left = indent * (walk.quotes + (list === undefined ? 0 : level + 1))
  walk.blocks.push(
    new Paragraph({
      spacing: { after: list === undefined ? 160 : 60 },
      ...(left > 0 && list?.fresh !== true ? { indent: { left } } : {}),
      ...(walk.quotes > 0 ? { border: quoteLine } : {}),
      ...(heading === undefined ? {} : { heading, spacing: { before: 240, after: 120 } }),
      ...numbering,
      ...options
    })
  )
  if (list !== undefined) list.fresh = false
}

const codeRuns = (code: string): Array<TextRun> =>
  printable(code).replace(/\n$/, "").split("\n").map((text, line) =>
    new TextRun({ text, font: codeFont, size: 20, ...(line === 0 ? {} : { break: 1 }) })
  )

const levels = Array.from({ length: deepestLevel + 1 }, (_, level) => level)

const placed = (level: number) => ({
  alignment: AlignmentType.LEFT,
  style: { paragraph: { indent: { left: indent * (level + 1), hanging: indent / 2 } } }
})

const bullets = {
  reference: "bullets",
  levels: levels.map((level) => ({
    level,
    format: LevelFormat.BULLET,
    text: ["\u2022", "\u25E6", "\u25AA"][level % 3] ?? "\u2022",
    ...placed(level)
  }))
}

const formats = [LevelFormat.DECIMAL, LevelFormat.LOWER_LETTER, LevelFormat.LOWER_ROMAN]

const numbered = ({ reference, start }: OrderedList) => ({
  reference,
  levels: levels.map((level) => ({
    level,
    start,
    format: formats[level % 3] ?? LevelFormat.DECIMAL,
    text: `%${level + 1}.`,
    ...placed(level)
  }))
})
