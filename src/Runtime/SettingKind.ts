import { type Mailbox, mailboxOf } from "@troupe/domain/Mailbox"
import { Array, Duration, Option } from "effect"
import { isIP } from "node:net"
import { resolve } from "node:path"
import { areHeaders } from "./OtlpHeaders.ts"

/** How the text of a setting is understood, and what it must look like, said in words that finish "must be ...". */
export interface Kind<out A> {
  readonly expected: string
  readonly decode: (text: string) => Option.Option<A>
}

export const text: Kind<string> = { expected: "a text", decode: Option.some }

/** Kept as a text, for it holds secrets. */
export const headers: Kind<string> = {
  expected: "headers such as api-key=abc,authorization=Bearer%20abc",
  decode: (text) => Option.filter(Option.some(text), areHeaders)
}

/** Long enough that nobody guesses it. */
export const longText: Kind<string> = {
  expected: "a text of at least 32 characters, such as the output of: openssl rand -hex 32",
  decode: (text) => Option.filter(Option.some(text), ({ length }) => length >= 32)
}

/** As long, and able to stand in a header. */
export const bearerToken: Kind<string> = {
  expected: "32 or more letters, digits and signs without a space, such as the output of: openssl rand -hex 32",
  decode: (text) => Option.filter(Option.some(text), (text) => /^[\x21-\x7e]{32,}$/.test(text))
}

const decimal = /^\d+(\.\d+)?$/

const number = (min: number, max: number, expected: string): Kind<number> => ({
  expected,
  decode: (text) =>
    decimal.test(text)
      ? Option.filter(Option.some(Number(text)), (value) => value >= min && value <= max)
      : Option.none()
})

const map = <A, B>(kind: Kind<A>, f: (value: A) => B): Kind<B> => ({
  expected: kind.expected,
  decode: (text) => Option.map(kind.decode(text), f)
})

export const decimalBetween = (min: number, max: number): Kind<number> =>
  number(min, max, `a number from ${min} to ${max}`)

export const integerBetween = (min: number, max: number): Kind<number> => ({
  expected: `a whole number from ${min} to ${max}`,
  decode: (text) => Option.filter(number(min, max, "").decode(text), Number.isInteger)
})

/** `0` asks the system for any free port. */
export const listenPort: Kind<number> = {
  expected: "a port number from 0 to 65535 (0: any free port)",
  decode: integerBetween(0, 65_535).decode
}

export const port: Kind<number> = {
  expected: "a port number from 1 to 65535",
  decode: integerBetween(1, 65_535).decode
}

export const secondsBetween = (min: number, max: number): Kind<Duration.Duration> =>
  map(number(min, max, `a number of seconds from ${min} to ${max}`), Duration.seconds)

const bytes = (unit: "MB" | "GB", factor: number, max: number): Kind<number> =>
  map(number(0.001, max, `a number of ${unit} from 0.001 to ${max}`), (value) => Math.round(value * factor))

export const megabytes = (max: number): Kind<number> => bytes("MB", 2 ** 20, max)

export const gigabytes = (max: number): Kind<number> => bytes("GB", 2 ** 30, max)

const words: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  1: true,
  false: false,
  no: false,
  off: false,
  0: false
}

export const flag: Kind<boolean> = {
  expected: "true or false",
  decode: (text) => Option.fromNullable(words[text.toLowerCase()])
}

export const oneOf = <const A extends string>(...values: Array.NonEmptyReadonlyArray<A>): Kind<A> => ({
  expected: values.length === 1 ? values[0] : `one of ${values.join(", ")}`,
  decode: (text) => Array.findFirst(values, (value) => value === text.toLowerCase())
})

/** Items separated by commas; blank items are dropped. */
export const listOf = <A>(item: Kind<A>): Kind<ReadonlyArray<A>> => ({
  expected: `a list, separated by commas, of ${item.expected}`,
  decode: (text) =>
    Option.all(text.split(",").map((part) => part.trim()).filter((part) => part !== "").map(item.decode))
})

/** An absolute path; a relative one starts at the directory the service is started in. */
export const path: Kind<string> = { expected: "a path", decode: (text) => Option.some(resolve(text)) }

const urlOf = (protocols: ReadonlyArray<string>) => (text: string): Option.Option<URL> =>
  URL.canParse(text)
    ? Option.filter(Option.some(new URL(text)), (url) => protocols.includes(url.protocol))
    : Option.none()

const webUrl = urlOf(["http:", "https:"])

export const httpUrl: Kind<URL> = { expected: "an address such as https://example.org", decode: webUrl }

/** The base address of a model server, without a slash at its end; a bare host gets the usual `/v1`. */
export const modelBaseUrl: Kind<string> = {
  expected: "an address such as http://127.0.0.1:11434/v1",
  decode: (text) =>
    Option.map(
      webUrl(text),
      (url) => url.pathname === "/" ? `${url.origin}/v1` : `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, "")}`
    )
}

export const postgresUrl: Kind<string> = {
  expected: "an address such as postgresql://user:password@host:5432/database",
  decode: (text) =>
    Option.map(
      Option.filter(urlOf(["postgres:", "postgresql:"])(text), (url) => url.pathname.length > 1),
      () => text
    )
}

/** What a browser sends as `Origin`. */
export const origin: Kind<string> = {
  expected: "origins such as https://app.example.org",
  decode: (text) =>
    Option.map(
      Option.filter(webUrl(text), (url) => url.pathname === "/" && url.search === "" && url.hash === ""),
      (url) => url.origin
    )
}

const hostName = /^([a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(:\d{1,5})?$/

/** What a client sends as `Host`, in lower case. */
export const hostHeader: Kind<string> = {
  expected: "host names such as troupe.example.org",
  decode: (text) => Option.filter(Option.some(text.toLowerCase()), (host) => hostName.test(host))
}

/** A host to listen on or to be reached at. */
export const host: Kind<string> = {
  expected: "a host name or an IP address",
  decode: (text) => Option.filter(Option.some(text), (host) => isIP(host) !== 0 || /^[a-zA-Z0-9_][\w.-]*$/.test(host))
}

/** An address, or a network in CIDR notation. */
export const network: Kind<string> = {
  expected: "IP addresses or networks such as 10.0.0.0/8",
  decode: (text) => {
    const [address, prefix, ...rest] = text.split("/")
    const version = isIP(address ?? "")
    const bits = integerBetween(0, version === 6 ? 128 : 32).decode(prefix ?? "0")
    return version !== 0 && rest.length === 0 && Option.isSome(bits) ? Option.some(text) : Option.none()
  }
}

export const emailAddress: Kind<string> = {
  expected: "an e-mail address",
  decode: (text) => /^[^\s@,]+@[^\s@,.]+(?:\.[^\s@,.]+)+$/.test(text) ? Option.some(text.toLowerCase()) : Option.none()
}

/** Whom mail is from: an address, with or without a name. */
export const mailbox: Kind<Mailbox> = {
  expected: "an address such as troupe@example.org or Troupe <troupe@example.org>",
  decode: (text) => Option.getRight(mailboxOf(text))
}
