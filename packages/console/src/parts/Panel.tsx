import type { ReactNode } from "react"

/** A titled part of a screen. */
export const Panel = ({ actions, children, title }: {
  readonly title: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}) => (
  <section aria-label={title} className="rounded-lg border bg-surface">
    <header className="flex min-h-9 items-center justify-between gap-2 border-b px-3 py-1">
      <h2 className="font-semibold">{title}</h2>
      {actions}
    </header>
    <div className="p-3">{children}</div>
  </section>
)
