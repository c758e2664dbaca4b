import { Effect } from "effect"
import { wideEncodingOf } from "../../Runtime/TextDecoding.ts"
import { DocumentUnreadable } from "./DocumentUnreadable.ts"

export type DocumentKind = "text" | "pdf" | "word" | "slides" | "sheets" | "image"

const office = "application/vnd.openxmlformats-officedocument."

const formats: ReadonlyMap<string, readonly [kind: DocumentKind, mediaType: string]> = new Map([
  ["txt", ["text", "text/plain"]],
  ["md", ["text", "text/markdown"]],
  ["json", ["text", "application/json"]],
  ["csv", ["text", "text/csv"]],
  ["pdf", ["pdf", "application/pdf"]],
  ["docx", ["word", `${office}wordprocessingml.document`]],
  ["pptx", ["slides", `${office}presentationml.presentation`]],
  ["xlsx", ["sheets", `${office}spreadsheetml.sheet`]],
  ["png", ["image", "image/png"]],
  ["jpg", ["image", "image/jpeg"]],
  ["jpeg", ["image", "image/jpeg"]],
  ["gif", ["image", "image/gif"]],
  ["webp", ["image", "image/webp"]]
])

export const extensions: ReadonlyArray<string> = [...formats.keys()]

export const extensionOf = (name: string): string => (/\.([^./]+)$/.exec(name)?.[1] ?? "").toLowerCase()

export const kindOf = (name: string): DocumentKind | undefined => formats.get(extensionOf(name))?.[0]

/** The media type that the extension of a name promises; that of arbitrary bytes for names with another extension. */
export const contentTypeOf = (name: string): string => formats.get(extensionOf(name))?.[1] ?? "application/octet-stream"

/** The first extension that promises this media type. */
export const extensionFor = (mediaType: string): string | undefined =>
  [...formats].find(([, [, type]]) => type === mediaType.split(";", 1)[0]?.trim().toLowerCase())?.[0]

/** The extension of pictures of this media type, if they are read. */
export const imageExtensionOf = (mediaType: string): string | undefined =>
  [...formats].find(([, [kind, type]]) => kind === "image" && type === mediaType)?.[0]

const signatureBytes = 4_096

/** Fails unless the first bytes are those of the kind. The parts of an office file are checked when it is opened. */
export const agrees = (
  name: string,
  kind: DocumentKind,
  bytes: Uint8Array
): Effect.Effect<void, DocumentUnreadable> =>
  Effect.gen(function*() {
    const found = yield* signatureOf(bytes.subarray(0, signatureBytes))
    const differs = (actual: string) =>
      new DocumentUnreadable({ reason: `The file is named .${extensionOf(name)}, but its content is ${actual}.` })
    if (bytes.length === 0 && kind !== "text") return yield* new DocumentUnreadable({ reason: "The file is empty." })
    switch (kind) {
      case "text":
        if (found === "pdf" || found === "zip" || (found !== undefined && !isText(bytes))) {
          return yield* differs(described(found))
        }
        return isText(bytes) ? undefined : yield* differs("not text")
      case "pdf":
        return found === "pdf" ? undefined : yield* differs(described(found))
      case "image":
        return found === imageSignatureOf(extensionOf(name)) ? undefined : yield* differs(described(found))
      case "word":
      case "slides":
      case "sheets":
        if (found === "cfb") {
          return yield* new DocumentUnreadable({
            reason: "The file is protected by a password or in an old Office format. Ask for it without a password, "
              + "saved as .docx, .xlsx or .pptx."
          })
        }
        return found === "zip" ? undefined : yield* differs(described(found))
    }
  })

const zip = [0x50, 0x4b, 0x03, 0x04]
const pdf = [0x25, 0x50, 0x44, 0x46, 0x2d]

/** These two without `file-type`, which would read an archive before its entries are checked. */
const signatureOf = (head: Uint8Array): Effect.Effect<string | undefined> => {
  if (startsWith(head, zip)) return Effect.succeed("zip")
  if (startsWith(head, pdf)) return Effect.succeed("pdf")
  return Effect.promise(() => import("file-type")).pipe(
    Effect.andThen(({ fileTypeFromBuffer }) => Effect.tryPromise(() => fileTypeFromBuffer(head))),
    // An animated PNG is shown as its first picture.
    Effect.map((type) => type?.ext === "apng" ? "png" : type?.ext),
    Effect.orElseSucceed(() => undefined)
  )
}

const startsWith = (bytes: Uint8Array, signature: ReadonlyArray<number>): boolean =>
  signature.every((byte, index) => bytes[index] === byte)

/** Other text may open like a binary format by chance ("BM..."), so only what could not be text counts as that. */
const isText = (bytes: Uint8Array): boolean => wideEncodingOf(bytes) !== null || !bytes.subarray(0, 65_536).includes(0)

const imageSignatureOf = (extension: string): string => extension === "jpeg" ? "jpg" : extension

const described = (found: string | undefined): string => {
  if (found === undefined) return "something else"
  return found === "zip" ? "a ZIP archive" : found === "cfb" ? "an old Office file" : `that of a .${found} file`
}
