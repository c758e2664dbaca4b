/** A value as JSON. */
export const JsonView = ({ value }: { readonly value: unknown }) => (
  <pre
    tabIndex={0}
    className="max-h-96 overflow-auto rounded-md border bg-raised p-2 font-mono text-xs whitespace-pre-wrap break-words"
  >
    {JSON.stringify(value, null, 2)}
  </pre>
)
