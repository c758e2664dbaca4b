type Headers = Readonly<Record<string, string | undefined>>

export const redacted = "[redacted]"

const isSecret = (name: string): boolean =>
  ["authorization", "cookie", "proxy-authorization"].includes(name)
  || /(?:^|[-_])(?:token|secret|password|api[-_]?key)$/.test(name)

export const withoutSecrets = (headers: Headers): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, isSecret(name.toLowerCase()) ? redacted : value]]
    )
  )

/** A path with its query as they are stored: some senders are given a secret in the query. */
export const urlWithoutSecrets = (url: string): string => {
  const [path = "", query] = url.split(/\?(.*)/s, 2)
  if (query === undefined) return path
  const parts = query.split("&").map((part) => {
    const [name = ""] = part.split("=", 1)
    return isSecret(name.toLowerCase()) || /^(?:sig|signature|key)$/i.test(name) ? `${name}=${redacted}` : part
  })
  return `${path}?${parts.join("&")}`
}
