import { useEffect, useState } from "react"
import { inputLook } from "./Field.tsx"
import { Form } from "./Form.tsx"

/** Words that are searched on Enter; the address has them. */
export const SearchBox = ({ label, onSearch, words: given }: {
  readonly label: string
  readonly words: string
  readonly onSearch: (words: string) => void
}) => {
  const [words, setWords] = useState(given)
  useEffect(() => setWords(given), [given])
  return (
    <Form
      role="search"
      onSubmit={() => onSearch(words.trim())}
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
    </Form>
  )
}
