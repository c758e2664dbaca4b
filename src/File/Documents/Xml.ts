import { Either } from "effect"
import { DocumentUnreadable } from "./DocumentUnreadable.ts"

/** The events of a walk through XML, in order. An empty element is an `open` and a `close`. */
export type XmlEvent =
  | { readonly _tag: "open"; readonly name: string; readonly attributes: Readonly<Record<string, string>> }
  | { readonly _tag: "close"; readonly name: string }
  | { readonly _tag: "text"; readonly text: string }

/** Reads XML of office programs. Nothing is fetched; a document type, which could define entities, is refused. */
export const xmlEvents = (bytes: Uint8Array): Either.Either<ReadonlyArray<XmlEvent>, DocumentUnreadable> => {
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
    if (end === -1) return Either.left(new DocumentUnreadable({ reason: "The file is damaged: its XML breaks off." }))
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
