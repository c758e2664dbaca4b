/** The text of a field without blanks around it; null if there is none. */
export const typedText = (text: string): string | null => text.trim() === "" ? null : text.trim()

/** Why a text is no number that the service takes. */
export const numberFault = (text: string): string | undefined =>
  text.trim() === "" || Number.isFinite(Number(text)) ? undefined : "Must be a number"
