import { lazy, Suspense, useState } from "react"
import { parsedJson } from "../service/ParsedJson.ts"
import { Button } from "./Button.tsx"
import { numberText } from "./Numbers.ts"

const JsonTree = lazy(() => import("./JsonTree.tsx"))

/** Text as it is, in a box that scrolls. */
export const PlainText = ({ text }: { readonly text: string }) => (
  <pre
    tabIndex={0}
    className="max-h-96 overflow-auto rounded-md border bg-raised p-2 font-mono text-xs break-words whitespace-pre-wrap"
  >
    {text}
  </pre>
)

const isTree = (value: unknown): value is object => typeof value === "object" && value !== null

/** A value as a tree that folds. */
export const JsonView = ({ value }: { readonly value: unknown }) =>
  isTree(value)
    ? (
      <Suspense fallback={<PlainText text={JSON.stringify(value, null, 2)} />}>
        <JsonTree value={value} />
      </Suspense>
    )
    : <PlainText text={String(value)} />

/** Characters of a text that are shown at once. */
const firstShown = 4_000

/** Text that may be JSON: as a tree if it is, else as it is. Of a long one the beginning, and the rest on demand. */
export const JsonText = ({ text }: { readonly text: string }) => {
  const [isWhole, setIsWhole] = useState(false)
  if (text.length > firstShown && !isWhole) {
    return (
      <>
        <PlainText text={`${text.slice(0, firstShown)} …`} />
        <p className="mt-1 flex flex-wrap items-center gap-2 text-xs text-muted">
          The first {numberText(firstShown)} of {numberText(text.length)} characters.
          <Button size="small" onClick={() => setIsWhole(true)}>Show all</Button>
        </p>
      </>
    )
  }
  const value = parsedJson(text)
  return isTree(value) ? <JsonView value={value} /> : <PlainText text={text} />
}
