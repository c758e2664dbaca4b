/** PostgreSQL's text takes neither NUL nor half of a surrogate pair; each becomes a replacement character. */
export const storable = (text: string): string => text.replace(/[\0\p{Surrogate}]/gu, "\uFFFD")
