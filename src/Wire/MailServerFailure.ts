import { oneLine } from "@troupe/domain/Text"
import { Predicate } from "effect"
import { errorCode, errorText } from "../Runtime/ErrorText.ts"
import { ImapFailed } from "./Imap.ts"
import { MailFailed } from "./Mail.ts"

/** Where a mail server is, and how the connection to it is encrypted. */
export interface MailServer {
  readonly host: string
  readonly port: number
  /** `true`: TLS from the start. `starttls`: TLS required before sign-in. `false`: no TLS. */
  readonly secure: "true" | "starttls" | "false"
}

const isTrue = (cause: unknown, key: string): boolean => Predicate.hasProperty(cause, key) && cause[key] === true

/** The server's words in one short line. Those about a sign-in are never quoted, because they may hold secrets. */
export const quoted = (words: string): string => oneLine(words, 200)

const isCertificate = (original: string): boolean => /CERT|SELF_SIGNED|UNABLE_TO|certificate/i.test(original)

const isTls = (original: string): boolean =>
  isCertificate(original) || /ERR_TLS|ERR_SSL|EPROTO|wrong version/i.test(original)

/** Reasons of failures of both protocols; `prefix` begins the names of the settings to check. */
const reasonsOf = ({ host, port, secure }: MailServer, prefix: "IMAP" | "SMTP") => {
  const server = `The mail server ${host}:${port}`
  const check = `Check ${prefix}_HOST, ${prefix}_PORT and ${prefix}_SECURE.`
  return {
    server,
    signInRefused: `${server} refused the sign-in. Check ${prefix}_USER and ${prefix}_PASSWORD.`,
    timedOut: `${server} did not respond in time. ${check}`,
    unreachable: `${server} can't be reached. ${check}`,
    unresolved: `The host name of the mail server ${host} does not resolve. Check ${prefix}_HOST.`,
    tls: (original: string): string =>
      isCertificate(original)
        ? `${server} has a certificate that can't be trusted. Make it valid for ${prefix}_HOST, or trust its issuer with `
          + "NODE_EXTRA_CA_CERTS."
        : secure === "true"
        ? `${server} does not speak TLS from the start. Set ${prefix}_SECURE=starttls, or another ${prefix}_PORT.`
        : `${server} does not offer STARTTLS. Set ${prefix}_SECURE=true for a port that speaks TLS from the start.`
  }
}

/** What an error of the SMTP client means. `isHandedOver`: all of the mail had left this process. */
export const mailFailureOf = (server: MailServer, cause: unknown, isHandedOver: boolean): MailFailed => {
  const reasons = reasonsOf(server, "SMTP")
  const failed = (kind: MailFailed["kind"], reason: string) => new MailFailed({ kind, reason })
  const status = Predicate.hasProperty(cause, "responseCode") && typeof cause.responseCode === "number"
    ? cause.responseCode
    : 0
  const code = errorCode(cause)
  const original = errorText(cause, "originalCode") || errorText(cause, "message")
  if (code === "EAUTH") {
    return failed(
      "unavailable",
      status >= 400 && status < 500
        ? `${reasons.server} can't check the sign-in now (${status}). Try again later.`
        : reasons.signInRefused
    )
  }
  if (isHandedOver && status === 0) {
    return failed("uncertain", `${server.host} did not respond after the transfer of the mail: it may have been sent.`)
  }
  if (code === "ETLS") return failed("unavailable", reasons.tls(original))
  if (code === "ETIMEDOUT") return failed("unavailable", reasons.timedOut)
  if (code === "EDNS") return failed("unavailable", reasons.unresolved)
  if (code === "EMESSAGE" && status === 0) {
    return failed("refused", `${reasons.server} does not accept a mail of this size. Send less at once.`)
  }
  const what = refusedBy(errorText(cause, "command"))
  const reply = quoted(errorText(cause, "response"))
  if (status >= 500) return failed("refused", `${reasons.server} refused ${what}: ${reply}`)
  if (status >= 400) return failed("unavailable", `${reasons.server} does not accept ${what} now, try later: ${reply}`)
  return failed("unavailable", isTls(original) ? reasons.tls(original) : reasons.unreachable)
}

const refusedBy = (command: string): string =>
  command === "RCPT TO" ? "any of the recipients" : command === "MAIL FROM" ? "the sender (SMTP_FROM)" : "the mail"

const unavailable = (reason: string) => new ImapFailed({ kind: "unavailable", reason })
const refused = (reason: string) => new ImapFailed({ kind: "refused", reason })

export const imapTimedOut = (server: MailServer): ImapFailed => unavailable(reasonsOf(server, "IMAP").timedOut)

export const imapConnectionLost = (server: MailServer): ImapFailed =>
  unavailable(`${reasonsOf(server, "IMAP").server} closed the connection.`)

/** What an error of the IMAP client means. */
export const imapFailureOf = (settings: MailServer & { readonly mailbox: string }, cause: unknown): ImapFailed => {
  const reasons = reasonsOf(settings, "IMAP")
  const code = errorCode(cause)
  const original = `${code} ${errorText(cause, "message")}`
  if (isTrue(cause, "authenticationFailed")) {
    return /UNAVAILABLE/i.test(errorText(cause, "serverResponseCode"))
      ? unavailable(`${reasons.server} can't check the sign-in now. Try again later.`)
      : refused(reasons.signInRefused)
  }
  if (isTrue(cause, "mailboxMissing")) {
    return refused(`${reasons.server} has no mailbox ${JSON.stringify(settings.mailbox)}. Check IMAP_MAILBOX.`)
  }
  if (isTrue(cause, "tlsFailed") || isTls(original)) return refused(reasons.tls(original))
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return imapTimedOut(settings)
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return unavailable(reasons.unresolved)
  if (code.endsWith("TooLarge")) return unavailable(`${reasons.server} sent more than was asked for.`)
  const words = quoted(errorText(cause, "responseText"))
  if (words !== "") return unavailable(`${reasons.server} refused a command: ${words}`)
  return /^E(CONN|HOST|NET|PIPE)/.test(code) && code !== "EConnectionClosed"
    ? unavailable(reasons.unreachable)
    : imapConnectionLost(settings)
}
