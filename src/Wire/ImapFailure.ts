import { Predicate } from "effect"
import { ImapFailed } from "./Imap.ts"
import type { ImapSettings } from "./ImapSettings.ts"

const text = (cause: unknown, key: string): string =>
  Predicate.hasProperty(cause, key) && typeof cause[key] === "string" ? cause[key] : ""

const isTrue = (cause: unknown, key: string): boolean => Predicate.hasProperty(cause, key) && cause[key] === true

const failed = (kind: ImapFailed["kind"], reason: string) => new ImapFailed({ kind, reason })

/** The server's words in one short line. Those about a sign-in are never quoted, because they may hold secrets. */
const quoted = (words: string): string => words.replaceAll(/[\p{C}\s]+/gu, " ").trim().slice(0, 200)

export const timedOut = ({ host, port }: Pick<ImapSettings, "host" | "port">): ImapFailed =>
  failed(
    "unavailable",
    `The mail server ${host}:${port} did not respond in time. Check IMAP_HOST, IMAP_PORT and IMAP_SECURE.`
  )

export const connectionLost = ({ host, port }: Pick<ImapSettings, "host" | "port">): ImapFailed =>
  failed("unavailable", `The mail server ${host}:${port} closed the connection.`)

export const failureOf = (settings: ImapSettings, cause: unknown): ImapFailed => {
  const { host, mailbox, port } = settings
  const server = `The mail server ${host}:${port}`
  const code = text(cause, "code")
  const message = text(cause, "message")
  if (isTrue(cause, "authenticationFailed")) {
    return /UNAVAILABLE/i.test(text(cause, "serverResponseCode"))
      ? failed("unavailable", `${server} can't check the sign-in now. Try again later.`)
      : failed("refused", `${server} refused the sign-in. Check IMAP_USER and IMAP_PASSWORD.`)
  }
  if (isTrue(cause, "mailboxMissing")) {
    return failed("refused", `${server} has no mailbox ${JSON.stringify(mailbox)}. Check IMAP_MAILBOX.`)
  }
  if (
    isTrue(cause, "tlsFailed") ||
    /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO|certificate|wrong version/i.test(`${code} ${message}`)
  ) {
    return failed("refused", tlsReason(server, settings, `${code} ${message}`))
  }
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return timedOut(settings)
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
    return failed("unavailable", `The host name of the mail server ${host} does not resolve. Check IMAP_HOST.`)
  }
  if (code.endsWith("TooLarge")) return failed("unavailable", `${server} sent more than was asked for.`)
  const words = quoted(text(cause, "responseText"))
  if (words !== "") return failed("unavailable", `${server} refused a command: ${words}`)
  return /^E(CONN|HOST|NET|PIPE)/.test(code) && code !== "EConnectionClosed"
    ? failed("unavailable", `${server} can't be reached. Check IMAP_HOST, IMAP_PORT and IMAP_SECURE.`)
    : connectionLost(settings)
}

const tlsReason = (server: string, { secure }: ImapSettings, original: string): string =>
  /CERT|SELF_SIGNED|UNABLE_TO|certificate/i.test(original)
    ? `${server} has a certificate that can't be trusted. Make it valid for IMAP_HOST, or trust its issuer with `
      + "NODE_EXTRA_CA_CERTS."
    : secure === "true"
    ? `${server} does not speak TLS from the start. Set IMAP_SECURE=starttls, or another IMAP_PORT.`
    : `${server} does not offer STARTTLS. Set IMAP_SECURE=true for a port that speaks TLS from the start.`
