import { Either } from "effect"
import { type Document, isAlias, isMap, isScalar, type Node, parseDocument, Scalar, visit } from "yaml"

const fences = /^\s*---[ \t]*\n([\s\S]*?\n)?---[ \t]*(?:\n|$)/

/** Splits a markdown file with optional YAML front matter; `yaml` is null without. */
export const splitFrontMatter = (source: string): { readonly yaml: string | null; readonly body: string } => {
  const text = source.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n")
  const found = fences.exec(text)
  return found === null ? { yaml: null, body: text } : { yaml: found[1] ?? "", body: text.slice(found[0].length) }
}

export const documentOf = (yaml: string, schema: "failsafe" | "core"): Document.Parsed =>
  parseDocument(yaml, { schema, logLevel: "silent", prettyErrors: true, uniqueKeys: true })

/** Scalars stay texts as written: a version 1.0 is "1.0", and null is "". Aliases and custom tags are refused. */
export const valueOf = (yaml: string): Either.Either<unknown, string> => {
  const document = documentOf(yaml, "failsafe")
  const [problem] = [...document.errors, ...document.warnings]
  if (problem !== undefined) return Either.left(`the front matter is no YAML: ${problem.message.split("\n")[0]}`)
  visit(document, {
    Scalar: (_, node) => {
      if (node.type === Scalar.PLAIN && /^(?:~|null)$/i.test(String(node.value))) node.value = ""
    }
  })
  return Either.try({
    try: () => document.toJS({ maxAliasCount: 0 }),
    catch: () => "the front matter must not use YAML aliases"
  })
}

export interface Repaired {
  readonly yaml: string
  readonly warnings: ReadonlyArray<string>
}

/**
 * Front matter as other programs read it, although it is no YAML or YAML reads less than what is written: a value such as
 * `Use when: asked`, `"Plan" meals` or `@mention` becomes a quoted text. Fields whose names are in `texts` are texts
 * whatever they look like, with what YAML takes for a comment.
 */
export const repaired = (yaml: string, texts: ReadonlySet<string>): Repaired => {
  const warnings: Array<string> = []
  const anchors = new Set(yaml.match(/&[\w-]+/g))
  const isIndentedByTabs = /^ *\t/m.test(yaml) && documentOf(yaml, "failsafe").errors.length > 0
  if (isIndentedByTabs) warnings.push("YAML is not indented by tabs; each was read as two spaces")
  const spaced = isIndentedByTabs
    ? yaml.replace(/^[ \t]+/gm, (indentation) => indentation.replaceAll("\t", "  "))
    : yaml
  const entries = entriesIn(spaced, texts).map((entry) => {
    const listed = quotedItems(entry, texts, (item) => anchors.has(`&${item.slice(1)}`))
    const { text, warning } = repairedEntry(listed.text, texts)
    warnings.push(...[listed.warning, warning].filter((one) => one !== null))
    return text
  })
  return { yaml: entries.join("\n"), warnings }
}

/** The fields as they are written. Lines of an example in a text, such as `user: "Help me"`, are no fields. */
const entriesIn = (yaml: string, texts: ReadonlySet<string>): ReadonlyArray<string> =>
  yaml.split(nextEntry).reduce<Array<string>>((entries, entry) => {
    const last = entries.at(-1)
    if (last !== undefined && texts.has(last.split(":", 1)[0]?.trim() ?? "") && isInExample(last)) {
      entries[entries.length - 1] = `${last}\n${entry}`
    } else entries.push(entry)
    return entries
  }, [])

const isInExample = (text: string): boolean => text.lastIndexOf("<example>") > text.lastIndexOf("</example>")

const nextEntry = /\n(?=[\w.-]+[ \t]*:(?:[ \t\n]|$))/

interface RepairedEntry {
  readonly text: string
  readonly warning: string | null
}

/** An item of a list as written, with what begins as no plain text of YAML can: `*_file`, `#sales`, `@team`. */
const isSign = /^(?:[*@%`][^\s]|#[^\s#])/

/** A list of names, in which those that YAML takes for an alias, a comment or an error are put in quotes. */
const quotedItems = (entry: string, texts: ReadonlySet<string>, isAlias: (item: string) => boolean): RepairedEntry => {
  const [, name = "", value = ""] = /^([\w.-]+)[ \t]*:([\s\S]*)$/.exec(entry) ?? []
  const unchanged = { text: entry, warning: null }
  if (texts.has(name)) return unchanged
  const quoted = (item: string) => isSign.test(item) && !isAlias(item) ? JSON.stringify(item) : item
  const isFlow = /^\s*\[[^\]]*\]\s*$/.test(value)
  const isBlock = /^[ \t]*\n/.test(value) && value.split("\n").every((line) => /^[ \t]*(?:$|#|-[ \t])/.test(line))
  const text = isFlow
    ? value.replace(/"[^"\n]*"|'[^'\n]*'|[^\s,"'[\]][^,\]\n]*/g, (item) => quoted(item))
    : isBlock
    ? value.replace(/^([ \t]*-[ \t]+)(\S.*)$/gm, (_, dash: string, item: string) => `${dash}${quoted(item)}`)
    : value
  return text === value ? unchanged : {
    text: `${name}:${text}`,
    warning: `${name}: names that begin with a sign such as * or # were taken as texts; write them in quotes`
  }
}

const repairedEntry = (entry: string, texts: ReadonlySet<string>): RepairedEntry => {
  const [, name = "", value = ""] = /^([\w.-]+)[ \t]*:([\s\S]*)$/.exec(entry) ?? []
  const isText = texts.has(name)
  if (value.trim() === "" || !isMisread(entry, value, isText)) return { text: entry, warning: null }
  const inner = !isText && /^[ \t]*\n/.test(value) ? repairedBlock(value, texts) : null
  if (inner !== null && documentOf(`${name}:${inner.yaml}`, "failsafe").errors.length === 0) {
    return { text: `${name}:${inner.yaml}`, warning: inner.warnings.map((one) => `${name}.${one}`).join("; ") }
  }
  const end = entry.endsWith("\n") ? "\n" : ""
  return {
    text: `${name}: ${JSON.stringify(textIn(value))}${end}`,
    warning: `${name}: YAML reads it as something else, so it was taken as a text; write it in quotes`
  }
}

/** Whether YAML can't read the entry, or reads less than a text in plain words has. */
const isMisread = (entry: string, value: string, isText: boolean): boolean => {
  const document = documentOf(entry, "failsafe")
  const node = isMap<Node, Node | null>(document.contents) ? document.contents.items[0]?.value : undefined
  if (document.errors.length > 0) return true
  const isPlain = isScalar(node) && node.type === Scalar.PLAIN
  // `channels: #sales, #support`: a comment has a space after its sign.
  if ((isPlain || node === null) && /^(?:[^\n]*,)?[ \t]*#[^\s#]/.test(value)) return true
  if (isAlias(node) || !isScalar(node)) return isText
  const tag = node.tag ?? stringTag
  return node.anchor !== undefined || tag !== stringTag || (isText && isPlain && /^[^\n]*(?:^|\s)#/.test(value))
}

const stringTag = "tag:yaml.org,2002:str"

/** An indented map, or a list of maps, its entries repaired. */
const repairedBlock = (value: string, texts: ReadonlySet<string>): Repaired | null => {
  const [, indentation = "", first = ""] = /\n([ \t]*)(\S)/.exec(value) ?? []
  if (indentation === "" && first !== "-") return null
  const lines = value.split("\n").slice(1)
  if (lines.some((line) => line.trim() !== "" && !line.startsWith(indentation))) return null
  const inner = lines.map((line) => line.slice(indentation.length)).join("\n")
  const { warnings, yaml } = first === "-" ? repairedItems(inner, texts) : repaired(inner, texts)
  return { yaml: `\n${yaml.replace(/^(?=.)/gm, indentation)}`, warnings }
}

const repairedItems = (list: string, texts: ReadonlySet<string>): Repaired => {
  const items = list.split(/\n(?=- )/).map((item) => {
    const lines = item.replace(/^- /, "  ").split("\n")
    if (lines.some((line) => line.trim() !== "" && !line.startsWith("  "))) return { yaml: item, warnings: [] }
    const { warnings, yaml } = repaired(lines.map((line) => line.slice(2)).join("\n"), texts)
    return { yaml: yaml.replace(/^(?=.)/gm, "  ").replace(/^ {2}/, "- "), warnings }
  })
  return { yaml: items.map(({ yaml }) => yaml).join("\n"), warnings: items.flatMap(({ warnings }) => warnings) }
}

/** The lines of a value as one text, without the quotes around the whole and without lines that are comments. */
const textIn = (value: string): string => {
  const text = value.split("\n").filter((line) => !line.startsWith("#")).map((line) => line.trim()).join(" ").trim()
  const quote = text.charAt(0)
  const inner = text.slice(1, -1)
  const isQuoted = text.length > 1 && /["']/.test(quote) && text.endsWith(quote)
  // A quote before a letter opens or is an apostrophe; any other ends a quotation inside the text.
  const isWhole = inner.split(quote).slice(1).every((after) => /^[\p{L}\p{N}]/u.test(after))
  return isQuoted && isWhole ? inner : text
}
