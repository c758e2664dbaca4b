import { Effect, Either } from "effect"
import { posix } from "node:path"
import { DocumentUnreadable } from "./DocumentUnreadable.ts"
import type { OfficeParts } from "./OfficeParts.ts"
import { type XmlEvent, xmlEvents } from "./Xml.ts"

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
    : Either.match(xmlEvents(bytes), { onLeft: Effect.fail, onRight: Effect.succeed })
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
