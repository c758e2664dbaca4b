import type { ReactNode } from "react"
import { useTitle } from "./Title.ts"

/** The frame of a screen: its title, its actions, and what scrolls below them. */
export const Screen = ({ actions, children, tabs, title }: {
  readonly title: string
  readonly actions?: ReactNode
  /** Below the title, above what scrolls. */
  readonly tabs?: ReactNode
  readonly children: ReactNode
}) => {
  useTitle(title)
  return (
    <div className="flex h-full min-h-0 flex-col">
      <header className="flex min-h-12 flex-wrap items-center justify-between gap-2 border-b bg-surface px-4 py-2">
        <h1 className="text-lg font-semibold">{title}</h1>
        <div className="flex flex-wrap items-center gap-2">{actions}</div>
      </header>
      {tabs}
      <div className="min-h-0 flex-1">{children}</div>
    </div>
  )
}
