const controls = /[^\P{Cc}\n\t]/gu
/** Characters that reorder or hide what follows on a line. */
const invisible = /[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/g

const picture = (control: string): string => {
  const code = control.charCodeAt(0)
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? "\u2421" : "\ufffd"
}

/**
 * Text from a task, a file or a service as a terminal may show it: control characters become visible symbols, so that no
 * escape sequence reaches the terminal. Line feeds and tabs stay.
 */
export const safeText = (text: string): string =>
  text.replace(/\r\n/g, "\n").replace(controls, picture).replace(invisible, "")

/** The same on one line, cut to `max` characters. */
export const safeLine = (text: string, max = 200): string => {
  const line = safeText(text).replace(/\s+/g, " ").trim()
  return line.length > max ? `${line.slice(0, max - 1).replace(/[\ud800-\udbff]$/, "")}\u2026` : line
}

/** JSON whose texts contain no control characters: `JSON.stringify` leaves those above U+007E as they are. */
export const safeJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(
    /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )
