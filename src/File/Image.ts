import type { UserId } from "@troupe/domain/Ids"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { agrees, contentTypeOf, extensionOf, kindOf } from "./Documents/DocumentKind.ts"
import { DocumentUnreadable } from "./Documents/DocumentUnreadable.ts"
import type { Sandbox } from "./Sandbox.ts"
import type { SandboxRefused } from "./SandboxRefused.ts"

export const maxImageBytes = 8 * 1_024 * 1_024

/** An image file. It is never decoded here, so one that decodes to gigabytes costs only its bytes. */
export interface Image {
  readonly mediaType: string
  readonly bytes: Uint8Array
  readonly digest: string
}

const endsWith = (mark: string, slack: number) => (bytes: Buffer) =>
  bytes.subarray(-slack).includes(Buffer.from(mark, "latin1"))

const isWholeJpeg = endsWith("\xff\xd9", 65_536)

/** Whether an image is whole, by its extension. */
const isWhole: ReadonlyMap<string, (bytes: Buffer) => boolean> = new Map([
  ["png", endsWith("IEND\xae\x42\x60\x82", 1_024)],
  ["jpg", isWholeJpeg],
  ["jpeg", isWholeJpeg],
  ["gif", endsWith(";", 1_024)],
  ["webp", (bytes) => bytes.readUInt32LE(4) + 8 <= bytes.length]
])

export const imageTypeOf = (path: string): string | undefined =>
  kindOf(path) === "image" ? contentTypeOf(path) : undefined

/** The image at the path, whose content must be what its name promises, and whole. */
export const readImage = (
  sandbox: Pick<Sandbox["Type"], "readBytes">,
  userId: UserId,
  path: string
): Effect.Effect<Image, SandboxRefused | DocumentUnreadable> =>
  Effect.gen(function*() {
    const mediaType = imageTypeOf(path)
    if (mediaType === undefined) return yield* new DocumentUnreadable({ reason: "The name is not that of a picture." })
    const bytes = Buffer.from(yield* sandbox.readBytes(userId, path, { maxBytes: maxImageBytes }))
    yield* agrees(path, "image", bytes)
    if (isWhole.get(extensionOf(path))?.(bytes) !== true) {
      return yield* new DocumentUnreadable({ reason: "The picture is cut short." })
    }
    return { mediaType, bytes, digest: createHash("sha256").update(bytes).digest("hex") }
  })
