/** PostgreSQL's text can contain neither NUL nor half of a surrogate pair; each becomes a replacement character. */
export const storable = (text: string): string => text.replace(/[\0\p{Surrogate}]/gu, "\uFFFD")
