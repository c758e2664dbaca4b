import { useEffect, useState } from "react"
import { inputLook } from "./Field.tsx"

/** Words that are searched on Enter; the address has them. */
export const SearchBox = ({ label, onSearch, words: given }: {
  readonly label: string
  readonly words: string
  readonly onSearch: (words: string) => void
}) => {
  const [words, setWords] = useState(given)
  useEffect(() => setWords(given), [given])
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        onSearch(words.trim())
      }}
    >
      <input
        type="search"
        aria-label={label}
        placeholder={`${label} (press /)`}
        value={words}
        onChange={({ target }) => {
          setWords(target.value)
          if (target.value === "") onSearch("")
        }}
        className={inputLook("w-64 max-w-full")}
      />
    </form>
  )
}
