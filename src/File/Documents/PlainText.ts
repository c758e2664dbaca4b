import { isWide } from "./DocumentKind.ts"

/** The text in UTF-8, in UTF-16 with its mark, or else as Windows wrote it in western countries. */
export const plainText = (bytes: Uint8Array): string => {
  if (isWide(bytes)) return new TextDecoder(bytes[0] === 0xff ? "utf-16le" : "utf-16be").decode(bytes)
  const text = new TextDecoder().decode(bytes)
  return text.includes("\uFFFD") ? new TextDecoder("windows-1252").decode(bytes) : text
}
