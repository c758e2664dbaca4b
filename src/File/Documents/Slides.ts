import { Effect } from "effect"
import { type Handler, Parser } from "htmlparser2"
import { posix } from "node:path"
import { DocumentUnreadable } from "./DocumentUnreadable.ts"
import type { OfficeParts } from "./OfficeParts.ts"

export const slidesText = (parts: OfficeParts): Effect.Effect<string, DocumentUnreadable> =>
  Effect.gen(function*() {
    const main = "ppt/presentation.xml"
    const targets = yield* relations(parts, main)
    const slides: Array<string> = []
    yield* readXml(parts, main, {
      onopentag: (name, attributes) => {
        const target = name === "p:sldId" ? targets.get(attributes["r:id"] ?? "") : undefined
        if (target !== undefined) slides.push(target.target)
      }
    })
    const texts = yield* Effect.forEach(slides, (slide, index) => slideText(parts, slide, index + 1))
    return texts.join("\n\n")
  })

const slideText = (parts: OfficeParts, slide: string, number: number): Effect.Effect<string, DocumentUnreadable> =>
  Effect.gen(function*() {
    const lines = yield* paragraphs(parts, slide)
    const links = [...(yield* relations(parts, slide)).values()]
    const notes = links.find(({ type }) => type.endsWith("/notesSlide"))?.target
    const spoken = notes === undefined ? [] : yield* paragraphs(parts, notes)
    // Notes repeat the number of their slide as a field of its own.
    const said = spoken.filter((line) => line !== String(number))
    return [`[Slide ${number}]`, ...lines, ...(said.length === 0 ? [] : ["[Notes]", ...said])].join("\n")
  })

interface Relation {
  readonly target: string
  readonly type: string
}

/** The paths of the parts that `part` names by id, without those outside of the file. */
const relations = (
  parts: OfficeParts,
  part: string
): Effect.Effect<ReadonlyMap<string, Relation>, DocumentUnreadable> => {
  const folder = posix.dirname(part)
  const file = `${folder}/_rels/${posix.basename(part)}.rels`
  const found = new Map<string, Relation>()
  if (!parts.has(file)) return Effect.succeed(found)
  const read = readXml(parts, file, {
    onopentag: (name, { Id = "", Target = "", TargetMode, Type = "" }) => {
      if (name !== "Relationship" || TargetMode === "External") return
      found.set(Id, { target: Target.startsWith("/") ? Target.slice(1) : posix.join(folder, Target), type: Type })
    }
  })
  return Effect.as(read, found)
}

const paragraphs = (parts: OfficeParts, part: string): Effect.Effect<ReadonlyArray<string>, DocumentUnreadable> => {
  const lines: Array<string> = []
  let row: Array<string> | null = null
  let line = ""
  let inText = false
  const endParagraph = () => {
    const text = line.trim()
    line = ""
    if (row !== null) row.push([row.pop() ?? "", text].filter((part) => part !== "").join(" "))
    else if (text !== "") lines.push(text)
  }
  const read = readXml(parts, part, {
    ontext: (text) => {
      if (inText) line += text
    },
    onopentag: (name) => {
      if (name === "a:t") inText = true
      if (name === "a:br" || name === "a:tab") line += " "
      if (name === "a:tr") row = []
      if (name === "a:tc") row?.push("")
      if (name === "a:p") line = ""
    },
    onclosetag: (name) => {
      if (name === "a:t") inText = false
      if (name === "a:p") endParagraph()
      if (name !== "a:tr" || row === null) return
      lines.push(row.join(" | "))
      row = null
    }
  })
  return Effect.as(read, lines)
}

/** Reads XML of office programs. Nothing is fetched; a document type, which could define entities, is refused. */
const readXml = (
  parts: OfficeParts,
  part: string,
  handler: Partial<Handler>
): Effect.Effect<void, DocumentUnreadable> =>
  Effect.suspend(() => {
    const bytes = parts.get(part)
    const refused = (reason: string) => new DocumentUnreadable({ reason })
    if (bytes === undefined) return refused(`The file is damaged: its part ${JSON.stringify(part)} is missing.`)
    const xml = new TextDecoder().decode(bytes)
    if (/<!DOCTYPE|<!ENTITY/i.test(xml)) return refused("The file declares entities, which documents never do.")
    if (xml.lastIndexOf("<") > xml.lastIndexOf(">")) return refused("The file is damaged: its XML is incomplete.")
    return Effect.sync(() => new Parser(handler, { xmlMode: true }).end(xml))
  })
