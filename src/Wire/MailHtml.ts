import { convert } from "html-to-text"
import { shownHtml } from "./ShownHtml.ts"

/** The converter's time grows with the square of the depth: this much takes 50 ms at worst, 1 MB takes 15 s. */
const maxHtml = 60_000

export interface HtmlText {
  /** What people see, with the quotes marked by `>`. */
  readonly shown: string
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
