import { type Mailbox, mailboxOf } from "@troupe/domain/Mailbox"
import { ModelPrices } from "@troupe/domain/ModelPrice"
import { memberEmail } from "@troupe/domain/Team"
import { Array, Duration, Either, Option, ParseResult, Schema } from "effect"
import { isIP } from "node:net"
import { resolve } from "node:path"
import { isSecureUrl } from "./NetworkAddress.ts"

/** How the text of a setting is decoded. Its description completes the sentence "It must be ...". */
export type Format<A> = Schema.Schema<A, string>

const accepted = (description: string, accepts: (text: string) => boolean): Format<string> =>
  Schema.String.pipe(Schema.filter((text) => accepts(text)), Schema.annotations({ description }))

const decoded = <A, B>(
  description: string,
  from: Format<A>,
  to: Schema.Schema<B>,
  decode: (value: A) => B
): Format<B> =>
  Schema.transformOrFail(from, to, {
    strict: true,
    decode: (value) => ParseResult.succeed(decode(value)),
    encode: (value, _, ast) => ParseResult.fail(new ParseResult.Forbidden(ast, value, "Settings are only read"))
  }).annotations({ description })

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

const headersIn = (text: string) => text.split(",").filter((part) => part.trim() !== "").map(headerOf)

export const headers: Format<Readonly<Record<string, string>>> = decoded(
  "headers such as api-key=abc,authorization=Bearer%20abc",
  Schema.String.pipe(Schema.filter((text) => headersIn(text).every(Option.isSome))),
  Schema.Record({ key: Schema.String, value: Schema.String }),
  (text) => Object.fromEntries(Array.getSomes(headersIn(text)))
)

export const longText = accepted(
  "a text of at least 32 characters, such as the output of: openssl rand -hex 32",
  ({ length }) => length >= 32
)

export const bearerToken = accepted(
  "32 or more letters, digits and signs without a space, such as the output of: openssl rand -hex 32",
  (text) => /^[\x21-\x7e]{32,}$/.test(text)
)

const number = (min: number, max: number) =>
  Schema.String.pipe(Schema.pattern(/^\d+(\.\d+)?$/), Schema.parseNumber, Schema.between(min, max))

export const decimalBetween = (min: number, max: number): Format<number> =>
  number(min, max).annotations({ description: `a number from ${min} to ${max}` })

export const integerBetween = (
  min: number,
  max: number,
  description = `a whole number from ${min} to ${max}`
): Format<number> => number(min, max).pipe(Schema.int({ description }))

export const listenPort = integerBetween(0, 65_535, "a port number from 0 to 65535 (0: any free port)")

export const port = integerBetween(1, 65_535, "a port number from 1 to 65535")

export const secondsBetween = (min: number, max: number): Format<Duration.Duration> =>
  decoded(`a number of seconds from ${min} to ${max}`, number(min, max), Schema.DurationFromSelf, Duration.seconds)

export const daysBetween = (min: number, max: number): Format<Duration.Duration> =>
  decoded(
    `a whole number of days from ${min} to ${max}`,
    integerBetween(min, max),
    Schema.DurationFromSelf,
    Duration.days
  )

const bytes = (unit: string, factor: number, max: number): Format<number> =>
  decoded(`a number of ${unit} from 0.001 to ${max}`, number(0.001, max), Schema.Number, (n) => Math.round(n * factor))

export const megabytes = (max: number): Format<number> => bytes("MB", 2 ** 20, max)

export const gigabytes = (max: number): Format<number> => bytes("GB", 2 ** 30, max)

export const oneOf = <const A extends readonly [string, ...ReadonlyArray<string>]>(...values: A): Format<A[number]> =>
  Schema.compose(Schema.Lowercase, Schema.Literal(...values)).annotations({
    description: `one of ${values.join(", ")}`
  })

const yes: ReadonlyArray<string> = ["true", "yes", "on", "1"]
const no: ReadonlyArray<string> = ["false", "no", "off", "0"]

export const flag = decoded(
  "true or false",
  Schema.Lowercase.pipe(Schema.filter((word) => yes.includes(word) || no.includes(word))),
  Schema.Boolean,
  (word) => yes.includes(word)
)

const listOf = <A>(item: Format<A>, items: string): Format<ReadonlyArray<A>> =>
  Schema.compose(
    decoded(
      items,
      Schema.String,
      Schema.Array(Schema.String),
      (text) => text.split(",").map((part) => part.trim()).filter((part) => part !== "")
    ),
    Schema.Array(item)
  ).annotations({ description: `a list, separated by commas, of ${items}` })

/** An absolute path; a relative one starts at the directory in which the service is started. */
export const path = decoded("a path", Schema.String, Schema.String, (text) => resolve(text))

const urlWith = (description: string, ...protocols: ReadonlyArray<string>): Format<URL> =>
  Schema.URL.pipe(Schema.filter(({ protocol }) => protocols.includes(protocol)), Schema.annotations({ description }))

export const httpUrl = urlWith("an address such as https://example.org", "http:", "https:")

export const secureUrl = httpUrl.pipe(
  Schema.filter(({ href }) => isSecureUrl(href)),
  Schema.annotations({ description: "an address such as https://example.org (http:// only on this machine)" })
)

/** The base address of a model server, without a slash at its end; a bare host gets the usual `/v1`. */
export const modelBaseUrl = decoded(
  "an address such as http://127.0.0.1:11434/v1",
  httpUrl,
  Schema.String,
  ({ origin, pathname }) => pathname === "/" ? `${origin}/v1` : `${origin}${pathname.replace(/(?<!\/)\/+$/, "")}`
)

export const postgresUrl = accepted(
  "an address such as postgresql://user:password@host:5432/database",
  (text) => /^postgres(?:ql)?:/i.test(text) && URL.canParse(text) && new URL(text).pathname.length > 1
)

export const origins = listOf(
  decoded(
    "an origin",
    httpUrl.pipe(Schema.filter(({ hash, pathname, search }) => pathname === "/" && search === "" && hash === "")),
    Schema.String,
    ({ origin }) => origin
  ),
  "origins such as https://app.example.org"
)

const hostName = /^([a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(:\d{1,5})?$/

export const hostHeaders = listOf(
  Schema.Lowercase.pipe(Schema.filter((host) => hostName.test(host))),
  "host names such as troupe.example.org"
)

export const host = accepted(
  "a host name or an IP address",
  (host) => isIP(host) !== 0 || /^[a-zA-Z0-9_][\w.-]*$/.test(host)
)

const isNetwork = (text: string): boolean => {
  const [address = "", prefix = "0", ...rest] = text.split("/")
  const version = isIP(address)
  return version !== 0 && rest.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 6 ? 128 : 32)
}

export const networks = listOf(accepted("a network", isNetwork), "IP addresses or networks such as 10.0.0.0/8")

export const emailAddress: Format<string> = decoded(
  "an e-mail address",
  Schema.String.pipe(Schema.filter((text) => Option.isSome(memberEmail(text)))),
  Schema.String,
  (text) => Option.getOrThrow(memberEmail(text))
)

/** Stays a text, because a token names its issuer to the letter. */
export const issuer = accepted(
  "an address such as https://accounts.google.com (http:// only on this machine)",
  (text) => isSecureUrl(text) && !/[?#]/.test(text)
)

export const modelPrices: Format<ModelPrices> = Schema.parseJson(ModelPrices).annotations({
  description: `JSON such as {"gpt-5.1": {"input": 1.25, "output": 10}}`
})

export const mailbox: Format<Mailbox> = decoded(
  "an address such as troupe@example.org or Troupe <troupe@example.org>",
  Schema.String.pipe(Schema.filter((text) => Either.isRight(mailboxOf(text)))),
  Schema.Struct({ name: Schema.String, address: Schema.String }),
  (text) => Either.getOrThrow(mailboxOf(text))
)
