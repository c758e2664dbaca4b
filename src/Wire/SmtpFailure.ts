import { Predicate } from "effect"
import { MailFailed } from "./Mail.ts"
import type { SmtpSettings } from "./SmtpSettings.ts"

const text = (cause: unknown, key: string): string =>
  Predicate.hasProperty(cause, key) && typeof cause[key] === "string" ? cause[key] : ""

const factsOf = (cause: unknown) => ({
  code: text(cause, "code"),
  command: text(cause, "command"),
  status: Predicate.hasProperty(cause, "responseCode") && typeof cause.responseCode === "number"
    ? cause.responseCode
    : 0,
  response: text(cause, "response"),
  original: text(cause, "originalCode") || text(cause, "message")
})

/** The server's reply in one short line. Replies to a sign-in are never quoted, because they may hold secrets. */
export const quoted = (response: string): string => response.replaceAll(/[\p{C}\s]+/gu, " ").trim().slice(0, 200)

const failed = (kind: MailFailed["kind"], reason: string) => new MailFailed({ kind, reason })

/** `isHandedOver`: all of the mail had left this process. */
export const failureOf = (
  { host, port, secure }: Pick<SmtpSettings, "host" | "port" | "secure">,
  cause: unknown,
  isHandedOver: boolean
): MailFailed => {
  const { code, command, original, response, status } = factsOf(cause)
  const server = `The mail server ${host}:${port}`
  if (code === "EAUTH") {
    return failed(
      "unavailable",
      status >= 400 && status < 500
        ? `${server} can't check the sign-in now (${status}). Try again later.`
        : `${server} refused the sign-in. Check SMTP_USER and SMTP_PASSWORD.`
    )
  }
  if (isHandedOver && status === 0) {
    return failed("uncertain", `${host} did not respond after the transfer of the mail: it may have been sent.`)
  }
  switch (code) {
    case "ETLS":
      return failed("unavailable", tlsReason(server, secure, original))
    case "ETIMEDOUT":
      return failed("unavailable", `${server} did not respond in time. Check SMTP_HOST, SMTP_PORT and SMTP_SECURE.`)
    case "EDNS":
      return failed("unavailable", `The host name of the mail server ${host} does not resolve. Check SMTP_HOST.`)
    case "EMESSAGE":
      if (status === 0) return failed("refused", `${server} does not accept a mail of this size. Send less at once.`)
  }
  if (status >= 500) return failed("refused", `${server} refused ${whatOf(command)}: ${quoted(response)}`)
  if (status >= 400) {
    return failed("unavailable", `${server} does not accept ${whatOf(command)} now, try later: ${quoted(response)}`)
  }
  if (isCertificate(original)) return failed("unavailable", tlsReason(server, secure, original))
  return failed("unavailable", `${server} can't be reached. Check SMTP_HOST, SMTP_PORT and SMTP_SECURE.`)
}

const whatOf = (command: string): string =>
  command === "RCPT TO" ? "any of the recipients" : command === "MAIL FROM" ? "the sender (SMTP_FROM)" : "the mail"

const isCertificate = (original: string): boolean =>
  /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO|certificate|wrong version/i.test(original)

const tlsReason = (server: string, secure: SmtpSettings["secure"], original: string): string =>
  /CERT|SELF_SIGNED|UNABLE_TO|certificate/i.test(original)
    ? `${server} has a certificate that can't be trusted. Make it valid for SMTP_HOST, or trust its issuer with `
      + "NODE_EXTRA_CA_CERTS."
    : secure === "true"
    ? `${server} does not speak TLS from the start. Set SMTP_SECURE=starttls, or another SMTP_PORT.`
    : `${server} does not offer STARTTLS. Set SMTP_SECURE=true for a port that speaks TLS from the start.`
