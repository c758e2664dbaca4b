import { useEffect, useState } from "react"
import { Button } from "../../parts/Button.tsx"
import { inputLook } from "../../parts/Field.tsx"
import { Form } from "../../parts/Form.tsx"

/** A request to try: the list below then shows how well each skill fits it. */
export const MatchTester = ({ onTest, query: given, threshold }: {
  readonly query: string
  readonly threshold: number | undefined
  readonly onTest: (query: string) => void
}) => {
  const [query, setQuery] = useState(given)
  useEffect(() => setQuery(given), [given])
  return (
    <Form
      role="search"
      className="flex flex-col gap-1"
      onSubmit={() => onTest(query.trim())}
    >
      <div className="flex gap-2">
        <input
          type="search"
          aria-label="A request to test"
          placeholder="Which skills does a request get? Type one, such as “Summarize this report”"
          value={query}
          onChange={({ target }) => {
            setQuery(target.value)
            if (target.value === "") onTest("")
          }}
          className={inputLook()}
        />
        <Button type="submit" disabled={query.trim() === ""}>Test</Button>
      </div>
      {threshold !== undefined && given !== "" && (
        <p className="text-xs text-muted">
          Agents get the best skills with a score of {threshold.toFixed(2)} or more. A tag in the request adds to it.
        </p>
      )}
    </Form>
  )
}
