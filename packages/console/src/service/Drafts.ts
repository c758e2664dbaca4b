import { useQuery } from "@tanstack/react-query"
import { fieldsIn } from "./ParsedJson.ts"
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

type Texts = Readonly<Record<string, string>>

/** What of `text` is a text of the form. An earlier version or another program may have stored something else. */
const typedIn = (text: string, initial: Texts): Texts =>
  Object.fromEntries(
    [...fieldsIn(text)].filter((field): field is [string, string] =>
      field[0] in initial && typeof field[1] === "string"
    )
  )

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
