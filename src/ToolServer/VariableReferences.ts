import type { ToolServerEntry } from "@troupe/api/ToolServersApi"
import { Record } from "effect"

/**
 * `${NAME}` or `${env:NAME}`, with a default behind `:-` that may have a reference in it. `$${` is the text `${`.
 * Other clients write `{env:NAME}`, too.
 */
const reference = /\$\$\{|(?:\$\{(?:env:)?|\{env:)([A-Za-z_][A-Za-z0-9_]*)(?::?-((?:[^{}]|\{[^{}]*\})*))?\}/g

/** References of other clients to what only they have, such as `${input:token}`. In a shell these are no expansions. */
const foreign = /\$\{[A-Za-z]\w*:[A-Za-z_][^}]*\}/

/** The value of a variable that is set. */
export type ValueOf = (name: string) => string | undefined

/** The text with the values in place of its references; `onMissing` gets the names of those without one. */
export const expandedText = (text: string, valueOf: ValueOf, onMissing: (name: string) => void): string =>
  text.replaceAll(reference, (whole: string, name?: string, fallback?: string) => {
    if (name === undefined) return "${"
    const value = valueOf(name)
    if (value !== undefined) return value
    if (fallback !== undefined) return expandedText(fallback, valueOf, onMissing)
    onMissing(name)
    return whole
  })

/** The names of all variables that the text may refer to. */
export const namesIn = (text: string): ReadonlyArray<string> => {
  const names = new Set<string>()
  for (const [, name, fallback] of text.matchAll(reference)) {
    if (name !== undefined) names.add(name)
    if (fallback !== undefined) { for (const inner of namesIn(fallback)) names.add(inner) }
  }
  return [...names]
}

/** Whether references or their escapes are in the text. */
export const hasReferences = (text: string): boolean => text.search(reference) !== -1

/** What is written like a reference and is none. In arguments it may be code of a shell. */
export const unreadableIn = (text: string, isCommand: boolean): string | undefined =>
  (isCommand ? foreign : /\$\{[^}]*\}?/).exec(text.replaceAll(reference, ""))?.[0]

/** A value that is only a name in a form that is no reference here, as in a shell or on Windows. */
export const looksLikeReference = (text: string): boolean =>
  /^(?:(?:bearer|basic|token) +)?(?:\$(?:env:)?[A-Z][A-Z0-9_]{2,}|%[A-Z][A-Z0-9_]{2,}%|\$?\{\{[^{}]*\}\})$/i.test(
    text.trim()
  )

/** A text of a server that may have references. */
export interface Referring {
  readonly field: string
  readonly text: string
  /** It is of the command, so that it may be code, and refers to variables of the server's own `env` first. */
  readonly isCommand: boolean
}

/** The entry with each text replaced. */
export const mapTexts = (entry: ToolServerEntry, change: (referring: Referring) => string): ToolServerEntry => {
  const { args, client_id, client_secret, command, cwd, env, headers, url } = entry
  const one = (field: string, text: string, isCommand: boolean) => change({ field, text, isCommand })
  const values = (field: string, given: Readonly<Record<string, string>>) =>
    Record.map(given, (text, name) => one(`${field}.${name.slice(0, 64)}`, text, false))
  return {
    ...entry,
    ...(command === undefined ? {} : { command: one("command", command, true) }),
    ...(args === undefined ? {} : { args: args.map((text, index) => one(`args.${index}`, text, true)) }),
    ...(cwd === undefined ? {} : { cwd: one("cwd", cwd, true) }),
    ...(url === undefined ? {} : { url: one("url", url, false) }),
    ...(client_id === undefined ? {} : { client_id: one("client_id", client_id, false) }),
    ...(client_secret === undefined ? {} : { client_secret: one("client_secret", client_secret, false) }),
    ...(env === undefined || env === null ? {} : { env: values("env", env) }),
    ...(headers === undefined || headers === null ? {} : { headers: values("headers", headers) })
  }
}

export const textsOf = (entry: ToolServerEntry): ReadonlyArray<Referring> => {
  const texts: Array<Referring> = []
  mapTexts(entry, (referring) => {
    texts.push(referring)
    return referring.text
  })
  return texts
}
