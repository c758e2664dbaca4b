/** Keys of a shortcut. */
export const Kbd = ({ keys }: { readonly keys: ReadonlyArray<string> }) => (
  <span className="inline-flex gap-1">
    {keys.map((key) => (
      <kbd key={key} className="min-w-5 rounded-sm border bg-page px-1 text-center font-mono text-xs text-muted">
        {key}
      </kbd>
    ))}
  </span>
)
