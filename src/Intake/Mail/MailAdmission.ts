interface Facts {
  readonly headers: ReadonlyArray<{ readonly name: string; readonly value: string }>
  /** Of the author, in lower case. */
  readonly address: string
}

/**
 * Why a mail was written by a program, or null. Programs that answer each other never stop, so such mails start no task
 * (RFC 3834, and older headers).
 */
export const automaticReason = (
  { address, headers }: Facts,
  ownAddresses: ReadonlyArray<string>
): string | null => {
  const values = (name: string) =>
    headers.filter((one) => one.name === name).map(({ value }) => value.trim().toLowerCase())
  const has = (name: string) => values(name).length > 0
  if (values("auto-submitted").some((value) => !/^no\b/.test(value))) return "it is marked as Auto-Submitted"
  if (values("precedence").some((value) => /^(?:bulk|junk|list|auto_reply)\b/.test(value))) {
    return "its Precedence is that of bulk mail"
  }
  if (has("list-id") || has("list-post") || has("list-unsubscribe")) return "it is from a mailing list"
  if (["x-autoreply", "x-autorespond", "x-autoresponse", "x-auto-reply-from"].some(has)) {
    return "it is an automatic reply"
  }
  if (values("return-path").some((value) => value === "<>")) return "it has no return path, as bounces have none"
  if (values("content-type").some((value) => value.startsWith("multipart/report"))) {
    return "it is a report of a mail server"
  }
  if (/^(?:mailer-daemon|postmaster)@/.test(address)) return "it is from a mail server"
  if (ownAddresses.includes(address)) return "it is from this service's own address"
  const loops = values("x-loop")
  if (loops.some((value) => ownAddresses.some((own) => value.includes(own)))) {
    return "it came through this service before"
  }
  return null
}

/**
 * Whether the trusted server has authenticated the sender's domain (RFC 8601): by DMARC, or by DKIM or SPF for exactly
 * that domain, since one above it, such as github.io, may be shared. Only the topmost header of the server counts:
 * lower ones may be forged.
 */
export const isAuthenticated = (
  headers: ReadonlyArray<{ readonly name: string; readonly value: string }>,
  trusted: string,
  domain: string
): boolean => {
  const own = headers.filter(({ name }) => name === "authentication-results").map(({ value }) => resultsOf(value))
    .find(({ server }) => server === trusted.toLowerCase())
  if (own === undefined) return false
  const dmarc = own.results.filter(({ method }) => method === "dmarc")
  if (dmarc.length > 0) {
    return dmarc.some(({ properties, result }) =>
      result === "pass" && sameDomain(properties.get("header.from") ?? domain, domain)
    )
  }
  return own.results.some(({ method, properties, result }) => {
    if (result !== "pass") return false
    if (method === "dkim") return sameDomain(properties.get("header.d") ?? properties.get("header.i") ?? "", domain)
    return method === "spf" && sameDomain(properties.get("smtp.mailfrom") ?? "", domain)
  })
}

interface Result {
  readonly method: string
  readonly result: string
  readonly properties: ReadonlyMap<string, string>
}

const resultsOf = (header: string): { readonly server: string; readonly results: ReadonlyArray<Result> } => {
  const [first = "", ...rest] = partsOf(header)
  return {
    server: (first.trim().split(/\s/)[0] ?? "").toLowerCase(),
    results: rest.flatMap((part) => {
      const [verdict, ...properties] = part.split("=").map((side) => side.trim()).join("=").split(/\s+/).map(pairOf)
      return verdict === undefined
        ? []
        : [{ method: verdict[0].split("/")[0] ?? "", result: verdict[1], properties: new Map(properties) }]
    })
  }
}

const pairOf = (text: string): readonly [string, string] => {
  const at = text.indexOf("=")
  return at < 0 ? [text.toLowerCase(), ""] : [text.slice(0, at).toLowerCase(), text.slice(at + 1).toLowerCase()]
}

/** The parts between semicolons, without comments (which nest) and without quotation marks. */
const partsOf = (header: string): ReadonlyArray<string> => {
  const parts = [""]
  let depth = 0
  let isQuoted = false
  for (let at = 0; at < Math.min(header.length, 10_000); at++) {
    const sign = header.charAt(at)
    const isEscaped = sign === "\\" && (isQuoted || depth > 0)
    if (isEscaped) at += 1
    const character = isEscaped ? header.charAt(at) : sign
    if (depth === 0 && sign === "\"") isQuoted = !isQuoted
    else if (!isQuoted && sign === "(") depth += 1
    else if (!isQuoted && sign === ")" && depth > 0) depth -= 1
    else if (depth === 0 && !isQuoted && sign === ";") parts.push("")
    // A quoted text is one word, so that it adds no results and no properties.
    else if (depth === 0) parts[parts.length - 1] += isQuoted ? character.replace(/[\s=;]/, "_") : character
  }
  return parts
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1).replace(/\.$/, "")

const sameDomain = (one: string, other: string): boolean => domainOf(one) === other.toLowerCase()
