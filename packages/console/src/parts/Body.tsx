import type { ReactNode } from "react"

/** What scrolls on a screen: one column of parts with a readable width. */
export const Body = ({ children }: { readonly children: ReactNode }) => (
  <div tabIndex={0} role="group" aria-label="Content" className="h-full overflow-y-auto outline-offset-[-2px]">
    <div className="mx-auto flex max-w-5xl flex-col gap-4 p-4">{children}</div>
  </div>
)
