import { stripped } from "./Text.ts"

/** Control and format characters, unassigned ones, and those that are drawn as nothing, such as fillers and variation selectors. */
const unseen = /[^\n\t\P{C}]|[\u2028\u2029\u2800]|\p{Default_Ignorable_Code_Point}/gu

/** The characters that can't be seen, or that change the order of others, by their numbers: `⟨U+202E⟩`. */
export const visibleSigns = (text: string): string =>
  text.replace(/\r\n/g, "\n").replace(
    unseen,
    (sign) => `⟨U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`
  )

/** The same on one line. */
export const visibleLine = (text: string): string => visibleSigns(text).replace(/[\n\t]/g, " ")

const links = /(?:\b[a-z][a-z\d+.-]{0,30}:\/\/|(?<![\p{L}\p{N}@./:])(?:www\.|\/\/(?=[\p{L}\p{N}])))[^\s"'`<>\\]+/giu

/** Signs that close a sentence or brackets around a link. */
const closing = ").,;:!?"

const hostOf = (found: string): string => {
  const link = stripped(found, "", closing)
  const address = link.startsWith("//") ? `http:${link}` : /^www\./i.test(link) ? `http://${link}` : link
  return (URL.canParse(address) ? new URL(address).host : "") || "a link that can't be read"
}

/** Where the links in a text lead, each host once. */
export const hostsIn = (text: string): ReadonlyArray<string> => [
  ...new Set([...text.matchAll(links)].map(([link]) => hostOf(link)))
]
