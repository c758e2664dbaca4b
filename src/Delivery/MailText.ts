import MarkdownIt from "markdown-it"

/** Raw HTML is shown as text and a picture as its description, so that a mail fetches nothing. */
const markdown = new MarkdownIt({ html: false, linkify: true })
markdown.renderer.rules["image"] = (tokens, index) =>
  markdown.utils.escapeHtml(`[Image: ${tokens[index]?.content || "no description"}]`)

/** Both parts of a mail; the text part is the markdown itself. */
export const mailTextOf = (body: string): { readonly text: string; readonly html: string } => ({
  text: body,
  html: markdown.render(body)
})
