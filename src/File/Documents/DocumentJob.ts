import { Schema } from "effect"
import { frameOf } from "../../Runtime/Process/Frame.ts"

/** The header of a job. The payload is the document, or the markdown in UTF-8. */
export const DocumentJob = Schema.Union(
  Schema.Struct({
    _tag: Schema.Literal("Text"),
    name: Schema.String,
    offset: Schema.Number,
    limit: Schema.Number,
    maxChars: Schema.Number
  }),
  Schema.Struct({ _tag: Schema.Literal("Docx") })
)
export type DocumentJob = typeof DocumentJob.Type

/** The header of a reply. The payload is the text in UTF-8, or the Word document. */
export const DocumentReply = Schema.Union(
  Schema.Struct({ _tag: Schema.Literal("Text"), lines: Schema.Number, total: Schema.Number, cut: Schema.Boolean }),
  Schema.Struct({ _tag: Schema.Literal("Docx") }),
  Schema.Struct({ _tag: Schema.Literal("Unreadable"), reason: Schema.String })
)
export type DocumentReply = typeof DocumentReply.Type

export const jobFrame = frameOf(DocumentJob)
export const replyFrame = frameOf(DocumentReply)

export interface TextRange {
  /** In lines, as `limit`. */
  readonly offset: number
  readonly limit: number
  readonly maxChars: number
}

export interface TextWindow {
  readonly text: string
  /** How many lines `text` holds, the last one perhaps in part. */
  readonly lines: number
  readonly total: number
  /** The last line is cut because the window was full. */
  readonly cut: boolean
}

/** Line breaks at the end don't count. One pass without an array of the lines, of which there may be millions. */
export const textWindow = (text: string, { limit, maxChars, offset }: TextRange): TextWindow => {
  let end = text.length
  while (end > 0 && text.charCodeAt(end - 1) === 10) end--
  let [from, to, lines, total] = [0, 0, 0, 0]
  let full = false
  let cut = false
  for (let start = 0, stop = text === "" ? end : -1; stop < end; start = stop + 1, total++) {
    const next = text.indexOf("\n", start)
    stop = next === -1 ? end : Math.min(next, end)
    if (full || total < offset || total >= offset + limit) continue
    if (lines === 0) from = start
    full = stop - from + 1 > maxChars
    if (full && lines > 0) continue
    cut = full
    to = cut ? start + maxChars : stop
    lines++
  }
  return { text: text.slice(from, to), lines, total, cut }
}
