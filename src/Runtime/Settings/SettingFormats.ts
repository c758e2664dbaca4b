import { type Mailbox, mailboxOf } from "@troupe/domain/Mailbox"
import { ModelPrices } from "@troupe/domain/ModelPrice"
import { memberEmail } from "@troupe/domain/Team"
import { Duration, Either, Option, Schema } from "effect"
import { isIP } from "node:net"
import { resolve } from "node:path"
import { isPublicHost, isSecureUrl } from "../NetworkAddress.ts"

/** How the text of a setting is read. `expected` completes the sentence "It must be ...". */
export interface Format<out A> {
  readonly expected: string
  readonly parse: (text: string) => Option.Option<A>
}

const accepted = (expected: string, accepts: (text: string) => boolean): Format<string> => ({
  expected,
  parse: Option.liftPredicate(accepts)
})

const mapped = <A, B>({ parse }: Format<A>, expected: string, map: (value: A) => B): Format<B> => ({
  expected,
  parse: (text) => Option.map(parse(text), map)
})

const listOf = <A>(item: (text: string) => Option.Option<A>, items: string): Format<ReadonlyArray<A>> => ({
  expected: `a list, separated by commas, of ${items}`,
  parse: (text) => Option.all(text.split(",").map((part) => part.trim()).filter((part) => part !== "").map(item))
})

export const text = accepted("a text", () => true)

const decodedPercent = Option.liftThrowable(decodeURIComponent)

const headerOf = (text: string): Option.Option<readonly [name: string, value: string]> => {
  const at = text.indexOf("=")
  const name = text.slice(0, Math.max(0, at)).trim()
  return Option.map(
    Option.filter(
      decodedPercent(text.slice(at + 1).trim()),
      (value) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e]*$/.test(value)
    ),
    (value) => [name, value]
  )
}

export const headers: Format<Readonly<Record<string, string>>> = mapped(
  listOf(headerOf, "headers"),
  "headers such as api-key=abc,authorization=Bearer%20abc",
  (entries) => Object.fromEntries(entries)
)

export const longText = accepted(
  "a text of at least 32 characters, such as the output of: openssl rand -hex 32",
  ({ length }) => length >= 32
)

export const bearerToken = accepted(
  "32 or more letters, digits and signs without a space, such as the output of: openssl rand -hex 32",
  (text) => /^[\x21-\x7e]{32,}$/.test(text)
)

export const decimalBetween = (min: number, max: number): Format<number> => ({
  expected: `a number from ${min} to ${max}`,
  parse: (text) =>
    Option.liftPredicate(Number(text), (value) => /^\d+(\.\d+)?$/.test(text) && value >= min && value <= max)
})

export const integerBetween = (
  min: number,
  max: number,
  expected = `a whole number from ${min} to ${max}`
): Format<number> => ({
  expected,
  parse: (text) => Option.filter(decimalBetween(min, max).parse(text), Number.isInteger)
})

export const listenPort = integerBetween(0, 65_535, "a port number from 0 to 65535 (0: any free port)")

export const port = integerBetween(1, 65_535, "a port number from 1 to 65535")

export const secondsBetween = (min: number, max: number): Format<Duration.Duration> =>
  mapped(decimalBetween(min, max), `a number of seconds from ${min} to ${max}`, Duration.seconds)

export const hoursBetween = (min: number, max: number): Format<Duration.Duration> =>
  mapped(decimalBetween(min, max), `a number of hours from ${min} to ${max}`, Duration.hours)

export const daysBetween = (min: number, max: number): Format<Duration.Duration> =>
  mapped(integerBetween(min, max), `a whole number of days from ${min} to ${max}`, Duration.days)

const bytes = (unit: string, factor: number, max: number): Format<number> =>
  mapped(
    decimalBetween(0.001, max),
    `a number of ${unit} from 0.001 to ${max}`,
    (value) => Math.round(value * factor)
  )

export const megabytes = (max: number): Format<number> => bytes("MB", 2 ** 20, max)

export const gigabytes = (max: number): Format<number> => bytes("GB", 2 ** 30, max)

export const oneOf = <const A extends ReadonlyArray<string>>(...values: A): Format<A[number]> => ({
  expected: `one of ${values.join(", ")}`,
  parse: (text) => Option.fromNullable(values.find((value) => value === text.toLowerCase()))
})

const yes = oneOf("true", "yes", "on", "1")
const no = oneOf("false", "no", "off", "0")

export const flag: Format<boolean> = {
  expected: "true or false",
  parse: (text) => Option.orElse(Option.as(yes.parse(text), true), () => Option.as(no.parse(text), false))
}

/** An absolute path; a relative one starts at the directory in which the service is started. */
export const path = mapped(text, "a path", (text) => resolve(text))

const parseUrl = Option.liftThrowable((text: string) => new URL(text))

export const httpUrl: Format<URL> = {
  expected: "an address such as https://example.org",
  parse: (text) => Option.filter(parseUrl(text), ({ protocol }) => protocol === "https:" || protocol === "http:")
}

export const secureUrl: Format<URL> = {
  expected: "an address such as https://example.org (http:// only on this machine)",
  parse: (text) => Option.filter(parseUrl(text), ({ href }) => isSecureUrl(href))
}

/** The base address of some hosts ends in `/models`, so that one is an endpoint only after a version. */
const endpoint = /(?:\/(?:chat\/completions|completions|embeddings|messages|responses)|(?<=\/v\d)\/models)$/

/**
 * An address as people write it down: a host without http:// or https:// gets the usual one, https:// where it is public. A single
 * word is no address, as a key or a model's name that was typed in the wrong place would be one.
 */
export const withScheme = (text: string): string => {
  const isBare = /^(?:[\w-]+(?:\.[\w-]+)+|[\w-]+(?=:\d)|localhost|\[[\da-f:]+\])(?::\d+)?(?:\/|$)/i.test(text)
  if (!isBare || !URL.canParse(`http://${text}`)) return text
  return `${isPublicHost(new URL(`http://${text}`).hostname) ? "https" : "http"}://${text}`
}

/** The base address of a model server, without the path of an endpoint or a slash at its end; a bare host gets the usual `/v1`. */
export const modelBaseUrl = mapped(
  { expected: httpUrl.expected, parse: (text) => httpUrl.parse(withScheme(text)) },
  "an address such as http://127.0.0.1:11434/v1",
  ({ origin, pathname }) => {
    const path = pathname.replace(/(?<!\/)\/+$/, "").replace(endpoint, "")
    return path === "" ? `${origin}/v1` : `${origin}${path}`
  }
)

export const postgresUrl = accepted(
  "an address such as postgresql://user:password@host:5432/database",
  (text) => /^postgres(?:ql)?:/i.test(text) && URL.canParse(text) && new URL(text).pathname.length > 1
)

export const origins = listOf(
  (text) =>
    Option.filter(
      httpUrl.parse(text),
      ({ hash, pathname, search }) => pathname === "/" && search === "" && hash === ""
    ).pipe(Option.map(({ origin }) => origin)),
  "origins such as https://app.example.org"
)

const hostName = /^([a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(:\d{1,5})?$/

export const hostHeaders = listOf(
  (text) => Option.liftPredicate(text.toLowerCase(), (host) => hostName.test(host)),
  "host names such as troupe.example.org"
)

export const host = accepted(
  "a host name or an IP address",
  (host) => isIP(host) !== 0 || /^[a-zA-Z0-9_][\w.-]*$/.test(host)
)

export const mailDomains = listOf(
  (text) =>
    Option.map(
      Either.getRight(mailboxOf(`postmaster@${text}`)),
      ({ address }) => address.slice(address.indexOf("@") + 1)
    ),
  "domains such as example.org"
)

const isNetwork = (text: string): boolean => {
  const [address = "", prefix = "0", ...rest] = text.split("/")
  const version = isIP(address)
  return version !== 0 && rest.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 6 ? 128 : 32)
}

export const networks = listOf(Option.liftPredicate(isNetwork), "IP addresses or networks such as 10.0.0.0/8")

export const emailAddress: Format<string> = { expected: "an e-mail address", parse: memberEmail }

/** Stays a text, because a token names its issuer to the letter. */
export const issuer = accepted(
  "an address such as https://accounts.google.com (http:// only on this machine)",
  (text) => isSecureUrl(text) && !/[?#]/.test(text)
)

export const modelPrices: Format<ModelPrices> = {
  expected: `JSON such as {"gpt-5.1": {"input": 1.25, "output": 10}}`,
  parse: Schema.decodeOption(Schema.parseJson(ModelPrices))
}

export const mailbox: Format<Mailbox> = {
  expected: "an address such as troupe@example.org or Troupe <troupe@example.org>",
  parse: (text) => Either.getRight(mailboxOf(text))
}

const prefix = "whsec_"

const minBytes = 24
const minCharacters = 16

export const standardSecret =
  "whsec_ and the base64 of at least 24 bytes, or a text of at least 16 characters, such as the output of: "
  + "openssl rand -base64 32"

const decoded = (text: string): ReadonlyArray<Buffer> => {
  const key = Buffer.from(text, "base64")
  return key.length >= minBytes && key.toString("base64").replace(/(?<!=)=+$/, "") === text.replace(/(?<!=)=+$/, "")
    ? [key]
    : []
}

/** The keys with which a sender may sign: some decode base64 without the prefix. None: the secret is not accepted. */
export const standardKeys = (secret: string): ReadonlyArray<Buffer> => {
  if (secret.startsWith(prefix)) return decoded(secret.slice(prefix.length))
  return secret.length < minCharacters ? [] : [Buffer.from(secret), ...decoded(secret)]
}
