import { Either, Schema } from "effect"

export interface Mailbox {
  readonly name: string
  readonly address: string
}

const forbidden = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u
const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
const local = new RegExp(`^${atom}(?:\\.${atom})*$`)
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const maxName = 100

/** Stricter than RFC 5322: one address can't pass for another or end a header. */
export const mailboxOf = (text: string): Either.Either<Mailbox, string> => {
  const given = text.trim()
  if (given.length > 400) return Either.left("an address must not be longer than 400 characters")
  if (forbidden.test(given)) return Either.left("an address must not contain line breaks or control characters")
  const [, named, angled] = /^([^<>]*)<([^<>]*)>$/.exec(given) ?? []
  const name = unquoted((named ?? "").trim())
  if (name === undefined || name.length > maxName) return Either.left("the name before <...> can't be used")
  return Either.map(addressOf(angled?.trim() ?? given), (address) => ({ name, address }))
}

const unquoted = (name: string): string | undefined => {
  const inner = /^"(.*)"$/.exec(name)?.[1] ?? name
  return /["\\@:;]/.test(inner) || (inner === name && name.includes(",")) ? undefined : inner
}

const addressOf = (text: string): Either.Either<string, string> => {
  const parts = text.split("@")
  const [user, host] = parts
  if (parts.length !== 2 || user === undefined || host === undefined || /[\s,;:]/.test(text)) {
    return Either.left("it is not one address such as ada@example.org or Ada <ada@example.org>")
  }
  if (!local.test(user) || user.length > 64) {
    return Either.left("the part before @ must consist of ASCII letters, digits and the usual signs")
  }
  const domain = domainOf(host)
  return domain === undefined ? Either.left("the part after @ is not a domain") : Either.right(`${user}@${domain}`)
}

const domainOf = (host: string): string | undefined => {
  if (!/^[\p{L}\p{M}\p{N}.-]+$/u.test(host) || !URL.canParse(`http://${host}`)) return undefined
  const domain = new URL(`http://${host}`).hostname
  const labels = domain.split(".")
  const isName = labels.every((part) => label.test(part)) && /[a-z]/.test(labels.at(-1) ?? "")
  return isName && domain.length <= 253 ? domain : undefined
}

/** Where the mails of a task go: to whom, and which mail they answer. */
export const MailReply = Schema.Struct({
  address: Schema.String,
  name: Schema.NullOr(Schema.String),
  /** As the mail had it, with or without `Re:`. */
  subject: Schema.String,
  /** Of the mail that is answered, with angle brackets; null if it had none. */
  messageId: Schema.NullOr(Schema.String),
  /** The earlier mails of the thread, the oldest first, with angle brackets. */
  references: Schema.Array(Schema.String),
  /** To whom else the mail went that began the thread, before an agent wrote in it. */
  participants: Schema.optional(Schema.Array(Schema.String))
})
export type MailReply = typeof MailReply.Type

export const MailReplyJson = Schema.parseJson(MailReply)

export const mailReplyText: (reply: MailReply) => string = Schema.encodeSync(MailReplyJson)
