/** The text of a field without blanks around it; null if there is none. */
export const typedText = (text: string): string | null => text.trim() === "" ? null : text.trim()
