import type { ReactNode } from "react"
import type { Icon } from "./Icons.ts"

/** What a screen shows while it has nothing: what would be here, and how to get it. */
export const Empty = ({ children, heading: Heading = "h2", icon: Icon, title }: {
  /** `h1` where it is the whole screen. */
  readonly heading?: "h1" | "h2"
  readonly icon: Icon
  readonly title: string
  readonly children?: ReactNode
}) => (
  <div className="mx-auto flex max-w-xl flex-col items-center gap-2 px-4 py-14 text-center">
    <Icon aria-hidden className="size-7 text-muted" />
    <Heading className="text-lg font-semibold">{title}</Heading>
    <div className="text-muted">{children}</div>
  </div>
)
