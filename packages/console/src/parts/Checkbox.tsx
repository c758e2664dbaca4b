import type { ReactNode } from "react"

/** A switch with its label. */
export const Checkbox = ({ children, hint, isChecked, isDisabled = false, onChange }: {
  readonly isChecked: boolean
  readonly isDisabled?: boolean
  /** Below the label. */
  readonly hint?: string
  readonly onChange: (isChecked: boolean) => void
  readonly children: ReactNode
}) => (
  <label className="flex items-start gap-2">
    <input
      type="checkbox"
      className="mt-0.5 size-4 shrink-0 accent-accent-fill"
      checked={isChecked}
      disabled={isDisabled}
      onChange={({ target }) => onChange(target.checked)}
    />
    <span>
      {children}
      {hint !== undefined && <span className="block text-xs text-muted">{hint}</span>}
    </span>
  </label>
)
