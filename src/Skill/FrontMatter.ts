import { Either } from "effect"
import { type Document, parseDocument } from "yaml"

const pattern = /^---[ \t]*\n([\s\S]*?\n)?---[ \t]*(?:\n|$)/

/** Splits a markdown file with optional YAML front matter; `yaml` is null without. */
export const splitFrontMatter = (source: string): { readonly yaml: string | null; readonly body: string } => {
  const text = source.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n")
  const found = pattern.exec(text)
  return found === null ? { yaml: null, body: text } : { yaml: found[1] ?? "", body: text.slice(found[0].length) }
}

export const documentOf = (yaml: string, schema: "failsafe" | "core"): Document.Parsed =>
  parseDocument(yaml, { schema, logLevel: "silent", prettyErrors: true, uniqueKeys: true })

/** Scalars stay texts as written: a version 1.0 is "1.0". Aliases and custom tags are refused. */
export const valueOf = (yaml: string): Either.Either<unknown, string> => {
  const document = documentOf(yaml, "failsafe")
  const [problem] = [...document.errors, ...document.warnings]
  if (problem !== undefined) return Either.left(`the front matter is no YAML: ${problem.message.split("\n")[0]}`)
  return Either.try({
    try: () => document.toJS({ maxAliasCount: 0 }),
    catch: () => "the front matter must not use YAML aliases"
  })
}
