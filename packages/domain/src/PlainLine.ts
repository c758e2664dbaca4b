const maxLine = 500
const maxTail = 200

/** Printable ASCII with single spaces, without stars and without a low line at its beginning: it is plain as it is. */
const isPlain = /^(?!_)[!-)+-~]+(?: [!-)+-~]+)*$/

/** A line as it is compared: usual forms of signs, single spaces, no invisible characters, and no signs of bold text. */
export const plainLineOf = (line: string): string => {
  const ends = line.length <= maxLine ? line : `${line.slice(0, maxLine - maxTail)} ${line.slice(-maxTail)}`
  if (isPlain.test(ends)) return ends
  const plain = ends.normalize("NFKC").replaceAll(
    /[\p{Cf}\p{Cc}\p{Z}]+/gu,
    (signs) => /[\p{Z}\s]/u.test(signs) ? " " : ""
  )
    .trim()
  return /^\*{3,}$/.test(plain)
    ? plain.replaceAll("*", "-")
    : plain.replaceAll("*", "").trim().replace(/^_{1,2}(?=\p{L})/u, "")
}
