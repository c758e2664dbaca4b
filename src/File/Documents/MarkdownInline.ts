import { ExternalHyperlink, type IRunOptions, TextRun } from "docx"
import type { Token } from "markdown-it"

export type InlineRun = TextRun | ExternalHyperlink

export const codeFont = "Courier New"

const marks: Readonly<Record<string, IRunOptions>> = {
  strong_open: { bold: true },
  em_open: { italics: true },
  s_open: { strike: true }
}

/** The runs of a paragraph's tokens; `style` is what all of them have. Pictures become their descriptions. */
export const runsOf = (tokens: ReadonlyArray<Token>, style: IRunOptions = {}): Array<InlineRun> => {
  const runs: Array<InlineRun> = []
  let link: { readonly href: string; readonly outer: Array<InlineRun> } | null = null
  let open = runs
  const openMarks: Array<IRunOptions> = []
  const styled = (options: IRunOptions): TextRun =>
    new TextRun({
      ...openMarks.reduce((all, mark) => ({ ...all, ...mark }), style),
      ...(link === null ? {} : { style: "Hyperlink" }),
      ...options
    })
  for (const token of tokens) {
    const mark = marks[token.type]
    if (mark !== undefined) openMarks.push(mark)
    switch (token.type) {
      case "strong_close":
      case "em_close":
      case "s_close":
        openMarks.pop()
        break
      case "link_open": {
        const href = String(token.attrGet("href") ?? "")
        if (!/^(?:https?|mailto|tel):/i.test(href)) break
        link = { href, outer: open }
        open = []
        break
      }
      case "link_close": {
        if (link === null) break
        const { href, outer } = link
        outer.push(new ExternalHyperlink({ link: href, children: open }))
        open = outer
        link = null
        break
      }
      case "hardbreak":
        open.push(new TextRun({ break: 1 }))
        break
      case "softbreak":
        open.push(styled({ text: " " }))
        break
      case "code_inline":
        open.push(styled({ text: printable(token.content), font: codeFont }))
        break
      case "image":
        open.push(styled({ text: printable(`[Image: ${token.content || "no description"}]`), italics: true }))
        break
      default:
        if (token.content !== "") open.push(styled({ text: printable(token.content) }))
    }
  }
  return runs
}

/** XML allows neither control characters nor lone surrogates. */
export const printable = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  text.replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, "").replace(/\p{Surrogate}/gu, "\uFFFD")
