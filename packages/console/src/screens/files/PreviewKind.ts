import type { UserFile } from "@troupe/client"

export type PreviewKind = "image" | "markdown" | "text" | "none"

/** A larger text would freeze the page. */
export const maxTextBytes = 1_000_000
const maxImageBytes = 20_000_000

const textTypes =
  /^text\/|^application\/(?:json|x-ndjson|xml|yaml|x-yaml|toml|javascript|typescript|sql|x-sh)\b|\+(?:json|xml)$/
const textNames =
  /\.(?:c|cfg|conf|cpp|css|csv|env|go|h|ini|java|js|jsonl?|jsx|log|py|rb|rs|sh|sql|toml|tsv?|tsx|txt|ya?ml)$/i

/** How a file can be shown. Web pages are shown as their source. */
export const previewKind = ({ content_type, filename, size }: UserFile): PreviewKind => {
  if (/^image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)\b/.test(content_type)) {
    return size <= maxImageBytes ? "image" : "none"
  }
  if (size > maxTextBytes) return "none"
  if (/\.(?:md|markdown)$/i.test(filename)) return "markdown"
  return textTypes.test(content_type) || textNames.test(filename) ? "text" : "none"
}
