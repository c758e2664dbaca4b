import { stripped, visibleText } from "./Text.ts"

/** The longest label of a button, on the chat platform. */
export const maxLabel = 75

/** A choice as people see it, in one line: what everybody is shown is what an answer is compared with. */
export const shownChoice = (text: string): string => visibleText(text.replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, " ")).trim()

/** The words of a text as people read them, whatever marks, spaces and characters that nobody sees are between them. */
const wordsOf = (text: string): string => {
  const words = visibleText(text.replaceAll(/\p{C}|\uFFFD|[\uFE0E\uFE0F]/gu, (sign) => (/\s/.test(sign) ? " " : "")))
    .normalize("NFKC").toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}@._+/-]+/u)
    .map((word) => stripped(word, "._+/-"))
  return words.filter((word) => word !== "").join(" ")
}

/** Whether a word may name an address, a file or a host. */
const naming = /.[@./]./

/**
 * Whether an answer has words that the agent wrote: a choice, alone or in a line of its own, as it is or as a button
 * shows it; or anywhere a word that names somebody or something.
 */
export const repeatsChoice = (answer: string, choices: ReadonlyArray<string>): boolean => {
  const whole = wordsOf(answer)
  const named = new Set(whole.split(" ").filter((word) => naming.test(word)))
  const lines = answer.split(/\r\n|\r|\n/).map((line) => ({
    words: wordsOf(line),
    isCut: /(?:…|\.{3})$/.test(line.trimEnd())
  }))
  return choices.some((choice) => {
    const words = wordsOf(choice)
    if (words === "") return false
    return whole === words
      || lines.some((line) => line.words === words || (line.isCut && line.words !== "" && words.startsWith(line.words)))
      || words.split(" ").some((word) => named.has(word))
  })
}
