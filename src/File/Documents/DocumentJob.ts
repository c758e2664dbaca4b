/** What a worker thread is asked for. */
export type DocumentJob =
  | {
    readonly _tag: "Text"
    readonly name: string
    readonly bytes: Uint8Array
    readonly offset: number
    readonly limit: number
    readonly maxChars: number
  }
  | { readonly _tag: "Docx"; readonly markdown: string }

/** Lines of a document's text. */
export interface TextWindow {
  readonly text: string
  /** How many lines `text` holds, the last one perhaps in part. */
  readonly lines: number
  /** How many lines the document has. */
  readonly total: number
  /** The last line is cut because the window was full. */
  readonly cut: boolean
}

/** What the worker thread answers. */
export type DocumentReply =
  | { readonly _tag: "Text"; readonly window: TextWindow }
  | { readonly _tag: "Docx"; readonly bytes: Uint8Array }
  | { readonly _tag: "Unreadable"; readonly reason: string }

/** `limit` lines of the text from the line `offset` on, at most `maxChars` characters of them. */
export const textWindow = (
  text: string,
  { limit, maxChars, offset }: { readonly offset: number; readonly limit: number; readonly maxChars: number }
): TextWindow => {
  const all = text === "" ? [] : text.replace(/(?<!\n)\n+$/, "").split("\n")
  const chosen = all.slice(offset, offset + limit)
  let lines = 0
  let length = 0
  while (lines < chosen.length && length + (chosen[lines]?.length ?? 0) + 1 <= maxChars) {
    length += (chosen[lines]?.length ?? 0) + 1
    lines++
  }
  const cut = lines === 0 && chosen.length > 0
  return cut
    ? { text: (chosen[0] ?? "").slice(0, maxChars), lines: 1, total: all.length, cut }
    : { text: chosen.slice(0, lines).join("\n"), lines, total: all.length, cut }
}
