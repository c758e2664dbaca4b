const look = "inline-flex max-w-full items-center rounded-full border bg-raised px-2 text-xs break-all"

/** Short words of a thing. */
export const Tags = ({ names }: { readonly names: ReadonlyArray<string> }) =>
  names.length === 0 ? null : (
    <ul className="flex flex-wrap gap-1">
      {names.map((name) => <li key={name} className={look}>{name}</li>)}
    </ul>
  )
