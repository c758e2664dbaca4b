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
  if (values("x-auto-response-suppress").some((value) => value !== "none")) return "it asks for no automatic answer"
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
