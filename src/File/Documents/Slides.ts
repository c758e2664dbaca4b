import { Effect, Either } from "effect"
import { posix } from "node:path"
import { DocumentUnreadable } from "./DocumentUnreadable.ts"
import type { OfficeParts } from "./OfficeParts.ts"

export const slidesText = (parts: OfficeParts): Effect.Effect<string, DocumentUnreadable> =>
  Effect.gen(function*() {
    const main = "ppt/presentation.xml"
    const targets = yield* relations(parts, main)
    const order = (yield* eventsOf(parts, main)).flatMap((event) =>
      event._tag === "open" && event.name === "p:sldId" ? [event.attributes["r:id"] ?? ""] : []
    )
    const slides = order.flatMap((id) => targets.get(id)?.target ?? [])
    const texts = yield* Effect.forEach(slides, (slide, index) => slideText(parts, slide, index + 1))
    return texts.join("\n\n")
  })

const slideText = (parts: OfficeParts, slide: string, number: number): Effect.Effect<string, DocumentUnreadable> =>
  Effect.gen(function*() {
    const lines = paragraphs(yield* eventsOf(parts, slide))
    const links = [...(yield* relations(parts, slide)).values()]
    const notes = links.find(({ type }) => type.endsWith("/notesSlide"))?.target
    const spoken = notes === undefined ? [] : paragraphs(yield* eventsOf(parts, notes))
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
  if (!parts.has(file)) return Effect.succeed(new Map())
  return Effect.map(eventsOf(parts, file), (events) => {
    const found = new Map<string, Relation>()
    for (const event of events) {
      if (event._tag !== "open" || event.name !== "Relationship") continue
      const { Id = "", Target = "", TargetMode, Type = "" } = event.attributes
      if (TargetMode === "External") continue
      const target = Target.startsWith("/") ? Target.slice(1) : posix.join(folder, Target)
      found.set(Id, { target, type: Type })
    }
    return found
  })
}

const eventsOf = (parts: OfficeParts, part: string): Effect.Effect<ReadonlyArray<XmlEvent>, DocumentUnreadable> => {
  const bytes = parts.get(part)
  return bytes === undefined
    ? new DocumentUnreadable({ reason: `The file is damaged: its part ${JSON.stringify(part)} is missing.` })
    : xmlEvents(bytes)
}

const paragraphs = (events: ReadonlyArray<XmlEvent>): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let row: Array<string> | null = null
  let line = ""
  let inText = false
  for (const event of events) {
    if (event._tag === "text") {
      if (inText) line += event.text
      continue
    }
    const opens = event._tag === "open"
    switch (event.name) {
      case "a:t":
        inText = opens
        break
      case "a:br":
      case "a:tab":
        if (opens) line += " "
        break
      case "a:tr":
        if (!opens && row !== null) lines.push(row.join(" | "))
        row = opens ? [] : null
        break
      case "a:tc":
        if (opens) row?.push("")
        break
      case "a:p":
        if (!opens) {
          const text = line.trim()
          if (row !== null) row.push([row.pop() ?? "", text].filter((part) => part !== "").join(" "))
          else if (text !== "") lines.push(text)
        }
        line = ""
        break
    }
  }
  return lines
}

/** The events of a walk through XML, in order. An empty element is an `open` and a `close`. */
type XmlEvent =
  | { readonly _tag: "open"; readonly name: string; readonly attributes: Readonly<Record<string, string>> }
  | { readonly _tag: "close"; readonly name: string }
  | { readonly _tag: "text"; readonly text: string }

/** Reads XML of office programs. Nothing is fetched; a document type, which could define entities, is refused. */
const xmlEvents = (bytes: Uint8Array): Either.Either<ReadonlyArray<XmlEvent>, DocumentUnreadable> => {
  const xml = new TextDecoder().decode(bytes)
  if (/<!DOCTYPE|<!ENTITY/i.test(xml)) {
    return Either.left(new DocumentUnreadable({ reason: "The file declares entities, which documents never do." }))
  }
  const events: Array<XmlEvent> = []
  for (let at = 0; at < xml.length;) {
    const open = xml.indexOf("<", at)
    const text = xml.slice(at, open === -1 ? xml.length : open)
    if (text !== "") events.push({ _tag: "text", text: unescaped(text) })
    if (open === -1) break
    const skipped = skips.find(([start]) => xml.startsWith(start, open))
    const end = xml.indexOf(skipped?.[1] ?? ">", open)
    if (end === -1) {
      return Either.left(new DocumentUnreadable({ reason: "The file is damaged: its XML is incomplete." }))
    }
    at = end + (skipped?.[1].length ?? 1)
    if (skipped?.[0] === "<![CDATA[") events.push({ _tag: "text", text: xml.slice(open + 9, end) })
    if (skipped === undefined) events.push(...tagEvents(xml.slice(open + 1, end)))
  }
  return Either.right(events)
}

const skips = [["<!--", "-->"], ["<![CDATA[", "]]>"], ["<?", "?>"]] as const

const tagEvents = (tag: string): ReadonlyArray<XmlEvent> => {
  if (tag.startsWith("/")) return [{ _tag: "close", name: tag.slice(1).trim() }]
  const body = tag.endsWith("/") ? tag.slice(0, -1) : tag
  const name = /^[^\s]*/.exec(body)?.[0] ?? ""
  const attributes = Object.fromEntries(
    [...body.matchAll(/(?<![^\s=])([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)].map(([, key = "", double, single]) => [
      key,
      unescaped(double ?? single ?? "")
    ])
  )
  const open: XmlEvent = { _tag: "open", name, attributes }
  return tag.endsWith("/") ? [open, { _tag: "close", name }] : [open]
}

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: "\"", apos: "'" }

const unescaped = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return named[String(name).toLowerCase()] ?? whole
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return code <= 0x10_ffff ? String.fromCodePoint(code) : whole
  })
