import { lazy, Suspense } from "react"

const JsonTree = lazy(() => import("./JsonTree.tsx"))

const Plain = ({ text }: { readonly text: string }) => (
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
      <Suspense fallback={<Plain text={JSON.stringify(value, null, 2)} />}>
        <JsonTree value={value} />
      </Suspense>
    )
    : <Plain text={String(value)} />

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Text that may be JSON: as a tree if it is, else as it is. */
export const JsonText = ({ text }: { readonly text: string }) => {
  const value = parsed(text)
  return isTree(value) ? <JsonView value={value} /> : <Plain text={text} />
}
