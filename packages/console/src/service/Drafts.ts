import { useState } from "react"

const place = (name: string) => `troupe.draft.${name}`

const read = (name: string): string => localStorage.getItem(place(name)) ?? ""

/** Text that a person types; it survives a reload until it is sent. */
export const useDraft = (name: string): readonly [text: string, set: (text: string) => void] => {
  const [draft, setDraft] = useState({ name, text: read(name) })
  const current = draft.name === name ? draft : { name, text: read(name) }
  const set = (text: string) => {
    if (text === "") localStorage.removeItem(place(name))
    else localStorage.setItem(place(name), text)
    setDraft({ name, text })
  }
  return [current.text, set]
}
