import { Effect, Option } from "effect"
import { Parser } from "htmlparser2"
import { posix } from "node:path"
import { DocumentUnreadable } from "./DocumentUnreadable.ts"
import { type OfficeParts, partNamed } from "./OfficeParts.ts"

export type Attributes = Readonly<Record<string, string>>

/** Names have the usual prefix of their namespace, whatever prefix the part has for it. */
export interface XmlReader {
  /** Answers false to skip the element with all that is in it. */
  readonly open?: (name: string, attributes: Attributes) => boolean | void
  readonly text?: (text: string) => void
  readonly close?: (name: string) => void
  /** Whether to stop reading; called before each piece of the part. */
  readonly isDone?: () => boolean
}

/** The usual prefixes. The elements of a workbook have none. */
const prefixes: ReadonlyMap<string, string> = new Map([
  ["http://schemas.openxmlformats.org/spreadsheetml/2006/main", ""],
  ["http://purl.oclc.org/ooxml/spreadsheetml/main", ""],
  ["http://schemas.openxmlformats.org/package/2006/relationships", ""],
  ["http://schemas.openxmlformats.org/officeDocument/2006/relationships", "r"],
  ["http://purl.oclc.org/ooxml/officeDocument/relationships", "r"],
  ["http://schemas.openxmlformats.org/officeDocument/2006/math", "m"],
  ["http://purl.oclc.org/ooxml/officeDocument/math", "m"],
  ["http://schemas.openxmlformats.org/markup-compatibility/2006", "mc"],
  ["http://schemas.openxmlformats.org/wordprocessingml/2006/main", "w"],
  ["http://purl.oclc.org/ooxml/wordprocessingml/main", "w"],
  ["http://schemas.microsoft.com/office/word/2010/wordml", "w14"],
  ["http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing", "wp"],
  ["http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing", "wp"],
  ["http://schemas.openxmlformats.org/presentationml/2006/main", "p"],
  ["http://purl.oclc.org/ooxml/presentationml/main", "p"],
  ["http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing", "xdr"],
  ["http://purl.oclc.org/ooxml/drawingml/spreadsheetDrawing", "xdr"],
  ["http://schemas.openxmlformats.org/drawingml/2006/main", "a"],
  ["http://purl.oclc.org/ooxml/drawingml/main", "a"],
  ["http://schemas.openxmlformats.org/drawingml/2006/picture", "pic"],
  ["http://purl.oclc.org/ooxml/drawingml/picture", "pic"],
  ["http://schemas.openxmlformats.org/drawingml/2006/chart", "c"],
  ["http://purl.oclc.org/ooxml/drawingml/chart", "c"],
  ["http://schemas.microsoft.com/office/drawing/2014/chartex", "cx"],
  ["http://schemas.openxmlformats.org/drawingml/2006/diagram", "dgm"],
  ["http://purl.oclc.org/ooxml/drawingml/diagram", "dgm"],
  ["urn:schemas-microsoft-com:vml", "v"],
  ["urn:schemas-microsoft-com:office:office", "o"]
])

const pieceBytes = 1_000_000

/** Far deeper than documents are. The parser takes quadratic time for depth. */
const maxDepth = 2_000

/** Reads XML of office programs in pieces. Nothing is fetched; a document type, which could define entities, is refused. */
export const readXml = (
  parts: OfficeParts,
  part: string,
  reader: XmlReader
): Effect.Effect<void, DocumentUnreadable> =>
  Effect.suspend(() => {
    const name = partNamed(parts, part)
    const bytes = name === undefined ? undefined : parts.get(name)
    const refused = (reason: string) => new DocumentUnreadable({ reason })
    if (bytes === undefined) return refused(`The file is damaged: its part ${JSON.stringify(part)} is missing.`)
    const scopes: Array<Scope> = [outermost()]
    const scope = () => scopes.at(-1) ?? outermost()
    let declaresEntities = false
    let isComplete = false
    let isTooDeep = false
    /** Number of open elements that are skipped. */
    let skipped = 0
    const parser = new Parser({
      onopentag: (given, attributes) => {
        const inner = scopeIn(scope(), given, attributes)
        scopes.push(inner)
        if (scopes.length > maxDepth) {
          isTooDeep = true
          parser.pause()
        }
        if (skipped > 0 || reader.open?.(inner.name, usualNames(inner, attributes)) === false) skipped++
      },
      onclosetag: () => {
        const { name } = scopes.pop() ?? outermost()
        if (skipped === 0) reader.close?.(name)
        else skipped--
        isComplete = scopes.length === 1
      },
      ontext: (text) => {
        if (skipped === 0) reader.text?.(text)
      },
      onprocessinginstruction: (name) => {
        declaresEntities ||= /^!(?:doctype|entity)/i.test(name)
      }
    }, { xmlMode: true })
    const decoder = new TextDecoder()
    for (let from = 0; from < bytes.length; from += pieceBytes) {
      if (reader.isDone?.() === true) return Effect.void
      parser.write(decoder.decode(bytes.subarray(from, from + pieceBytes), { stream: true }))
      if (isTooDeep) return refused(`The XML of the part ${JSON.stringify(part)} is nested too deeply.`)
      if (declaresEntities) return refused("The file declares entities, which documents never do.")
    }
    return isComplete
      ? Effect.void
      : refused(`The file is damaged: the XML of its part ${JSON.stringify(part)} is incomplete.`)
  })

/** An open element, and what the prefixes in it mean. */
interface Scope {
  readonly name: string
  readonly prefixes: ReadonlyMap<string, string>
  /** Cache of usual names; the keys of attributes start with `@`. */
  readonly names: Map<string, string>
}

const outermost = (): Scope => ({ name: "", prefixes: new Map(), names: new Map() })

const scopeIn = (outer: Scope, given: string, attributes: Attributes): Scope => {
  const declared = Object.keys(attributes).flatMap((key): ReadonlyArray<readonly [string, string]> => {
    const usual = key.startsWith("xmlns") ? prefixes.get(attributes[key] ?? "") : undefined
    return usual === undefined ? [] : [[key.slice("xmlns:".length), usual]]
  })
  const scope = declared.length === 0
    ? outer
    : { prefixes: new Map([...outer.prefixes, ...declared]), names: new Map<string, string>() }
  return { name: usualName({ ...scope, name: "" }, given, given), prefixes: scope.prefixes, names: scope.names }
}

/** A prefix that is not declared, or whose namespace is not known, stays. */
const usualName = ({ names, prefixes }: Scope, given: string, key: string): string => {
  const known = names.get(key)
  if (known !== undefined) return known
  const colon = given.indexOf(":")
  const own = given.slice(0, Math.max(colon, 0))
  const prefix = prefixes.get(own) ?? own
  const name = prefix === "" ? given.slice(colon + 1) : `${prefix}:${given.slice(colon + 1)}`
  names.set(key, name)
  return name
}

const usualNames = (scope: Scope, attributes: Attributes): Attributes => {
  const keys = Object.keys(attributes)
  const isQualified = (key: string) => key.includes(":") && !key.startsWith("xml")
  if (!keys.some(isQualified)) return attributes
  return Object.fromEntries(keys.map((key) => [
    isQualified(key) ? usualName(scope, key, `@${key}`) : key,
    attributes[key] ?? ""
  ]))
}

export interface Relation {
  readonly id: string
  /** The name of a part, or the address of something outside of the file. */
  readonly target: string
  /** The last word of the type, such as `slide`. */
  readonly type: string
  readonly isExternal: boolean
}

/** What `part` names by ids; the relations of the file as a whole, if it is "". */
export const relations = (
  parts: OfficeParts,
  part: string
): Effect.Effect<ReadonlyMap<string, Relation>, DocumentUnreadable> => {
  const folder = posix.dirname(part)
  const file = posix.join(folder, "_rels", `${posix.basename(part)}.rels`)
  const found = new Map<string, Relation>()
  if (partNamed(parts, file) === undefined) return Effect.succeed(found)
  return Effect.as(
    readXml(parts, file, {
      open: (name, { Id = "", Target = "", TargetMode, Type = "" }) => {
        if (name !== "Relationship") return
        const isExternal = TargetMode === "External"
        const type = posix.basename(Type)
        found.set(Id, { id: Id, target: isExternal ? Target : partOf(folder, Target), type, isExternal })
      }
    }),
    found
  )
}

const unescaped = Option.liftThrowable(decodeURIComponent)

const partOf = (folder: string, target: string): string => {
  const path = Option.getOrElse(unescaped(target), () => target).replaceAll("\\", "/")
  return path.startsWith("/") ? posix.join(".", path.slice(1)) : posix.join(folder, path)
}

/** The main part of the file: of a workbook the list of its sheets. */
export const mainPart = (parts: OfficeParts, usual: string): Effect.Effect<string, DocumentUnreadable> =>
  Effect.map(
    relations(parts, ""),
    (found) => [...found.values()].find(({ type }) => type === "officeDocument")?.target ?? usual
  )
