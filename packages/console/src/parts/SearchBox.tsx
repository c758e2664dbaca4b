import { useEffect, useRef, useState } from "react"
import { inputLook } from "./Field.tsx"
import { Form } from "./Form.tsx"

/** How long a person may pause between two letters of a word. */
const pauseMillis = 300

/**
 * Words that are searched as they are typed: after a pause, and at once on Enter or when the field is left. The address has
 * them. `onPending`: whether the field has words that are not searched yet.
 */
export const SearchBox = ({ label, onPending, onSearch, words: given }: {
  readonly label: string
  readonly words: string
  readonly onSearch: (words: string) => void
  readonly onPending?: (isPending: boolean) => void
}) => {
  const [words, setWords] = useState(given)
  const sought = useRef(given)
  /** Those on their way into the address. */
  const sent = useRef<ReadonlyArray<string>>([])
  const isPending = words.trim() !== sought.current
  // Words from elsewhere, such as a link, replace what is typed. Those of this field come back while more is typed.
  useEffect(() => {
    const at = sent.current.indexOf(given)
    sent.current = sent.current.slice(at + 1)
    if (at >= 0 || given === sought.current) return
    sought.current = given
    setWords(given)
  }, [given])
  const search = () => {
    if (words.trim() === sought.current) return
    sought.current = words.trim()
    sent.current = [...sent.current, sought.current]
    onPending?.(false)
    onSearch(sought.current)
  }
  const latest = useRef(search)
  latest.current = search
  useEffect(() => {
    if (!isPending) return
    const timer = setTimeout(() => latest.current(), words === "" ? 0 : pauseMillis)
    return () => clearTimeout(timer)
  }, [isPending, words])
  return (
    <Form
      role="search"
      onSubmit={search}
    >
      <input
        type="search"
        aria-label={label}
        placeholder={`${label} (press /)`}
        value={words}
        onChange={({ target }) => {
          setWords(target.value)
          onPending?.(target.value.trim() !== sought.current)
        }}
        onBlur={search}
        className={inputLook("w-64 max-w-full")}
      />
    </Form>
  )
}
