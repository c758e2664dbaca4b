import type { ReactNode } from "react"

/** Names with their values; those without a value are left out. */
export const FactList = ({ facts }: { readonly facts: Readonly<Record<string, ReactNode>> }) => (
  <dl className="grid grid-cols-[7.5rem_minmax(0,1fr)] gap-x-3 gap-y-1">
    {Object.entries(facts).filter(([, value]) => value !== null && value !== undefined).map(([name, value]) => (
      <div key={name} className="contents">
        <dt className="text-muted">{name}</dt>
        <dd className="min-w-0 break-words">{value}</dd>
      </div>
    ))}
  </dl>
)
