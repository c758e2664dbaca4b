import { cva, type VariantProps } from "class-variance-authority"
import type { ComponentProps } from "react"

const look = cva(
  "inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap transition-colors "
    + "disabled:cursor-not-allowed disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0",
  {
    variants: {
      kind: {
        plain: "border-line bg-surface hover:bg-raised",
        primary: "border-transparent bg-accent-fill text-on-accent hover:bg-accent-strong",
        danger: "border-line bg-surface text-bad hover:bg-bad-soft",
        ghost: "border-transparent text-muted hover:bg-raised hover:text-text"
      },
      size: { normal: "h-8 px-3", small: "h-7 px-2 text-xs", icon: "size-8" }
    },
    defaultVariants: { kind: "plain", size: "normal" }
  }
)

/** The look of a button, for links that are buttons. */
export const buttonLook = look

export const Button = ({ className, kind, size, type = "button", ...rest }:
  & ComponentProps<"button">
  & VariantProps<typeof look>) => <button type={type} className={look({ kind, size, className })} {...rest} />
