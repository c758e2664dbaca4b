import { Array, Option } from "effect"

const decoded = Option.liftThrowable(decodeURIComponent)

const token = /^[\w!#$%&'*+.^`|~-]+$/

const headerOf = (text: string): Option.Option<readonly [name: string, value: string]> => {
  const at = text.indexOf("=")
  const name = text.slice(0, Math.max(0, at)).trim()
  return Option.filter(decoded(text.slice(at + 1).trim()), (value) => /^[\t\x20-\x7e]*$/.test(value)).pipe(
    Option.filter(() => token.test(name)),
    Option.map((value) => [name, value] as const)
  )
}

const entries = (text: string) => text.split(",").filter((part) => part.trim() !== "").map(headerOf)

export const areHeaders = (text: string): boolean => entries(text).every(Option.isSome)

export const headersOf = (text: string): Record<string, string> => Object.fromEntries(Array.getSomes(entries(text)))
