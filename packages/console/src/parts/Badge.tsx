import { cva } from "class-variance-authority"
import type { ReactNode } from "react"

export type Tone = "good" | "wait" | "bad" | "accent" | "muted"

const look = cva("inline-flex h-5 items-center rounded-full px-2 text-xs font-medium whitespace-nowrap", {
  variants: {
    tone: {
      good: "bg-good-soft text-good",
      wait: "bg-wait-soft text-wait",
      bad: "bg-bad-soft text-bad",
      accent: "bg-accent-soft text-accent",
      muted: "bg-raised text-muted"
    }
  }
})

/** A state in one or two words. */
export const Badge = ({ children, title, tone = "muted" }: {
  readonly tone?: Tone
  /** What the words mean, on hover. */
  readonly title?: string | undefined
  readonly children: ReactNode
}) => <span className={look({ tone })} title={title}>{children}</span>
