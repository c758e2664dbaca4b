import { Either } from "effect"

export const maxFileNameBytes = 255

const control = /[\p{Cc}\p{Cs}\u2028\u2029]/u
/** Characters that change the direction of text: "a\u202Egnp.exe" looks like "aexe.png". */
const bidirectional = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/
const separator = /[/\\]/
const reserved = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)/i

/** The name in Unicode's composed form (NFC), or why it is not allowed: the same on every platform. */
export const fileNameOf = (given: string): Either.Either<string, string> => {
  // Composing shortens a name at most threefold.
  if (given.length > maxFileNameBytes * 3) return Either.left(tooLong)
  const name = given.normalize("NFC")
  if (name === "") return Either.left("a file name must not be empty")
  if (name === "." || name === "..") return Either.left(`"${name}" is not a file name`)
  if (separator.test(name)) return Either.left("a file name must not contain / or \\")
  if (control.test(name)) return Either.left("a file name must not contain control characters")
  if (bidirectional.test(name)) {
    return Either.left("a file name must not contain invisible characters that change the direction of text")
  }
  if (/[. ]$/.test(name)) return Either.left("a file name must not end with a dot or a space")
  if (reserved.test(name)) return Either.left(`the name "${name}" is reserved by some systems`)
  if (new TextEncoder().encode(name).length > maxFileNameBytes) return Either.left(tooLong)
  return Either.right(name)
}

const tooLong = `a file name must not be longer than ${maxFileNameBytes} bytes`
