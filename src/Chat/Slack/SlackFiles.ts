import type { ChatFile } from "../ChatContent.ts"
import { type Fields, firstText, textIn } from "./SlackFields.ts"

/** A file of a message, or as `files.info` describes it. */
export const fileOf = (file: Fields): ChatFile => {
  const { mode, size } = file
  const url = firstText(file, "url_private_download", "url_private")
  const isSnippet = mode === "snippet"
  return {
    id: textIn(file["id"]),
    name: isSnippet ? snippetName(firstText(file, "name", "title") ?? "snippet") : firstText(file, "name", "title"),
    contentType: isSnippet ? "text/plain" : firstText(file, "mimetype"),
    size: typeof size === "number" && size > 0 ? size : null,
    // The description of a file of another workspace may be out of date.
    downloadUrl: file["file_access"] === "check_file_info" ? null : url,
    unavailable: whyNot(file)
  }
}

/** A snippet is plain text, in whatever language. */
const snippetName = (name: string): string => /\.(?:txt|md|csv|json)$/i.test(name) ? name : `${name}.txt`

const denied: Readonly<Record<string, string>> = {
  access_denied: "the chat platform denies access to it",
  file_not_found: "it was deleted, or is not shared with this app"
}

/** Documents of the platform itself, which it sends as web pages. */
const documents: ReadonlyArray<string> = ["canvas", "docs", "list", "post", "quip", "space"]

const whyNot = (file: Fields): string | null => {
  const mode = textIn(file["mode"])
  if (mode === "tombstone") return "it was deleted"
  if (mode === "hidden_by_limit") return "the chat platform hides it, because the workspace's plan keeps no older files"
  if (file["is_external"] === true || mode === "external") {
    const where = firstText(file, "external_type", "pretty_type") ?? "another service"
    const url = firstText(file, "external_url", "url_private", "permalink")
    return `it is stored outside of the chat platform (${where}${url === null ? "" : `, ${url}`}); upload it as a file`
  }
  if (documents.includes(mode)) return `it is a ${mode} of the chat platform, not a file; export and upload it`
  return denied[textIn(file["file_access"])] ?? null
}
