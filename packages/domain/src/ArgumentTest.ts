import { Either, Option, Predicate, Schema } from "effect"
import { isSameJson } from "./CanonicalJson.ts"
import { mailboxOf } from "./Mailbox.ts"

/** A JSON Pointer (RFC 6901): the empty one is the whole. */
export const JsonPointer = Schema.String.pipe(
  Schema.pattern(/^(?:\/(?:[^~]|~[01])*)?$/s, {
    message: () => "a JSON pointer, such as /to or /items/0/price (~1 is a /, ~0 a ~)"
  })
)

/** What one argument of a call must be; of several operators all must hold. */
export const ArgumentTest = Schema.Struct({
  is: Schema.optional(Schema.Unknown.annotations({ description: "Equal to this JSON value" })),
  in: Schema.optional(Schema.NonEmptyArray(Schema.Unknown).annotations({ description: "Equal to one of these" })),
  glob: Schema.optional(
    Schema.String.annotations({ description: "A text that this fits: * any text, ? one character" })
  ),
  domain_in: Schema.optional(
    Schema.NonEmptyArray(Schema.NonEmptyString).annotations({
      description: "An address, link or domain whose domain is one of these; *.example.org: those below it"
    })
  ),
  over: Schema.optional(Schema.Finite.annotations({ description: "Above this number" })),
  under: Schema.optional(Schema.Finite.annotations({ description: "Below this number" }))
}).pipe(Schema.filter((test) => Object.keys(test).length > 0 || "one of is, in, glob, domain_in, over, under"))
  .annotations({
    identifier: "ArgumentTest",
    parseOptions: { onExcessProperty: "error" }
  })
export type ArgumentTest = typeof ArgumentTest.Type

/** The value at a pointer; none where there is nothing. */
export const valueAt = (value: unknown, pointer: string): Option.Option<unknown> => {
  let at = value
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~")
    if (Array.isArray(at)) {
      if (!/^(?:0|[1-9]\d{0,9})$/.test(key) || Number(key) >= at.length) return Option.none()
      at = at[Number(key)]
    } else if (Predicate.isReadonlyRecord(at) && Object.hasOwn(at, key)) at = at[key]
    else return Option.none()
  }
  return Option.some(at)
}

/** `*` is any text, `?` one character; case counts. Its time grows with both lengths only. */
export const fitsGlob = (text: string, glob: string): boolean => {
  const signs = [...text]
  const marks = [...glob]
  let at = 0
  let mark = 0
  let star = -1
  let resumed = 0
  while (at < signs.length) {
    if (marks[mark] === "*") {
      star = mark++
      resumed = at
    } else if (mark < marks.length && (marks[mark] === "?" || marks[mark] === signs[at])) {
      mark++
      at++
    } else if (star >= 0) {
      mark = star + 1
      at = ++resumed
    } else return false
  }
  return marks.slice(mark).every((sign) => sign === "*")
}

/**
 * Whether the argument passes; undefined where that can't be said: it is missing, of another type, or a list of which some
 * elements pass.
 */
export const passes = (args: unknown, pointer: string, test: ArgumentTest): boolean | undefined =>
  Option.match(valueAt(args, pointer), {
    onNone: () => undefined,
    onSome: (value) => allOf(operatorsOf(test).map((operator) => ofValue(value, operator)))
  })

/** False where one is; true where all are. */
export const allOf = (found: ReadonlyArray<boolean | undefined>): boolean | undefined =>
  found.includes(false) ? false : found.includes(undefined) ? undefined : true

type Operator = (value: unknown) => boolean | undefined

const operatorsOf = (test: ArgumentTest): ReadonlyArray<Operator> => {
  const { domain_in: domains, glob, in: list, over, under } = test
  return [
    ...("is" in test ? [(value: unknown) => isSameJson(value, test.is)] : []),
    ...(list === undefined ? [] : [(value: unknown) => list.some((one) => isSameJson(value, one))]),
    ...(glob === undefined ? [] : [(value: unknown) => Predicate.isString(value) ? fitsGlob(value, glob) : undefined]),
    ...(domains === undefined ? [] : [(value: unknown) => isInDomains(value, domains)]),
    ...(over === undefined ? [] : [(value: unknown) => Predicate.isNumber(value) ? value > over : undefined]),
    ...(under === undefined ? [] : [(value: unknown) => Predicate.isNumber(value) ? value < under : undefined])
  ]
}

/** Of a list, each element is looked at, unless the list as a whole passes. */
const ofValue = (value: unknown, operator: Operator): boolean | undefined => {
  const whole = operator(value)
  if (whole === true || !Array.isArray(value) || value.length === 0) return whole
  const [first, ...rest] = value.map((element) => ofValue(element, operator))
  return rest.every((one) => one === first) ? first : undefined
}

const isInDomains = (value: unknown, domains: ReadonlyArray<string>): boolean | undefined => {
  const domain = Predicate.isString(value) ? domainOf(value.trim()) : undefined
  return domain === undefined ? undefined : domains.some((one) => {
    const wanted = one.toLowerCase()
    return wanted.startsWith("*.") ? domain.endsWith(wanted.slice(1)) : domain === wanted
  })
}

const domainOf = (text: string): string | undefined => {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return URL.canParse(text) ? hostOf(new URL(text)) : undefined
  if (text.includes("@")) {
    return Either.match(mailboxOf(text), {
      onLeft: () => undefined,
      onRight: ({ address }) => address.slice(address.lastIndexOf("@") + 1).toLowerCase()
    })
  }
  return /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+$/u.test(text) ? text.toLowerCase() : undefined
}

const hostOf = ({ hostname }: URL): string | undefined =>
  hostname === "" ? undefined : hostname.toLowerCase().replace(/\.$/, "")
