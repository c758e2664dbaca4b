import type { UserId } from "@troupe/domain/Ids"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { contentTypeOf, extensionOf } from "./Documents/DocumentKind.ts"
import { DocumentUnreadable } from "./Documents/DocumentUnreadable.ts"
import type { Sandbox } from "./Sandbox.ts"
import type { SandboxRefused } from "./SandboxRefused.ts"

export const maxImageBytes = 8 * 1_024 * 1_024

/** A picture. It is never decoded here, so one that decodes to gigabytes costs only its bytes. */
export interface Image {
  readonly mediaType: string
  readonly bytes: Uint8Array
  readonly digest: string
}

interface Format {
  readonly matches: (bytes: Buffer) => boolean
  readonly isWhole: (bytes: Buffer) => boolean
}

const opensWith = (text: string) => (bytes: Buffer) => bytes.subarray(0, text.length).toString("latin1") === text

const endsWith = (mark: string, slack: number) => (bytes: Buffer) =>
  bytes.subarray(-slack).includes(Buffer.from(mark, "latin1"))

const png: Format = {
  matches: opensWith("\x89PNG\r\n\x1a\n"),
  isWhole: endsWith("IEND\xae\x42\x60\x82", 1_024)
}
const jpeg: Format = {
  matches: opensWith("\xff\xd8\xff"),
  isWhole: endsWith("\xff\xd9", 65_536)
}
const gif: Format = {
  matches: (bytes) => /^GIF8[79]a$/.test(bytes.subarray(0, 6).toString("latin1")),
  isWhole: endsWith(";", 1_024)
}
const webp: Format = {
  matches: (bytes) => opensWith("RIFF")(bytes) && bytes.subarray(8, 12).toString("latin1") === "WEBP",
  isWhole: (bytes) => bytes.readUInt32LE(4) + 8 <= bytes.length
}

const formats: ReadonlyMap<string, Format> = new Map(Object.entries({ png, jpg: jpeg, jpeg, gif, webp }))

export const imageTypeOf = (path: string): string | undefined =>
  formats.has(extensionOf(path)) ? contentTypeOf(path) : undefined

/** The picture at the path, whose content must be what its name promises, and whole. */
export const readImage = (
  sandbox: Sandbox["Type"],
  userId: UserId,
  path: string
): Effect.Effect<Image, SandboxRefused | DocumentUnreadable> =>
  Effect.gen(function*() {
    const format = formats.get(extensionOf(path))
    const mediaType = contentTypeOf(path)
    if (format === undefined) return yield* new DocumentUnreadable({ reason: "The name is not that of a picture." })
    const bytes = Buffer.from(yield* sandbox.readBytes(userId, path, { maxBytes: maxImageBytes }))
    if (bytes.length === 0) return yield* new DocumentUnreadable({ reason: "The file is empty." })
    if (!format.matches(bytes)) {
      return yield* new DocumentUnreadable({
        reason: `The file's content is not that of ${mediaType}, as its name says.`
      })
    }
    if (!format.isWhole(bytes)) return yield* new DocumentUnreadable({ reason: "The picture is cut short." })
    return { mediaType, bytes, digest: createHash("sha256").update(bytes).digest("hex") }
  })
