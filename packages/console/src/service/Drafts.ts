import { useQuery } from "@tanstack/react-query"
import { sessionQuery } from "./SessionQueries.ts"
import { makeStore } from "./Store.ts"

const place = (name: string) => `troupe.draft.${name}`

/** What the browser did not store: it may be full, or not allowed to. */
const unstored = new Map<string, string>()

/** Whether a draft would be lost with the page. */
export const hasUnstored = (): boolean => unstored.size > 0

const changes = makeStore(0)

const read = (name: string): string => {
  try {
    return unstored.get(name) ?? localStorage.getItem(place(name)) ?? ""
  } catch {
    return ""
  }
}

const write = (name: string, text: string): void => {
  try {
    if (text === "") localStorage.removeItem(place(name))
    else localStorage.setItem(place(name), text)
    unstored.delete(name)
  } catch {
    unstored.set(name, text)
  }
  changes.set(changes.get() + 1)
}

/** Text that a person types; it survives a reload until it is sent. All fields of one name show the same, and only to this user. */
export const useDraft = (field: string): readonly [text: string, set: (text: string) => void] => {
  changes.use()
  const name = `${useQuery(sessionQuery).data?.user.id ?? ""}.${field}`
  return [read(name), (text) => write(name, text)]
}

/** Also what an earlier version or another program may have stored. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

type Texts = Readonly<Record<string, string>>

/** What of `text` is a text of the form. */
const typedIn = (text: string, initial: Texts): Texts => {
  const typed = parsed(text)
  return typeof typed !== "object" || typed === null ? {} : Object.fromEntries(
    Object.entries(typed).filter(([name, value]) => name in initial && typeof value === "string")
  )
}

/** The texts of a form. What was typed survives a reload until `clear`; what was not follows `initial`. */
export const useDraftFields = <A extends Texts>(
  name: string,
  initial: A
): { readonly fields: A; readonly set: (changes: Partial<A>) => void; readonly clear: () => void } => {
  const [draft, setDraft] = useDraft(name)
  const typed = typedIn(draft, initial)
  return {
    fields: Object.assign({}, initial, typed),
    set: (changes) => setDraft(JSON.stringify({ ...typed, ...changes })),
    clear: () => setDraft("")
  }
}
