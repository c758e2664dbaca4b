import { Field as Base } from "@base-ui/react/field"
import { cva } from "class-variance-authority"
import { type ComponentProps, type ReactNode, useEffect, useState } from "react"

const look = cva(
  "rounded-md border border-line-strong/60 bg-surface px-2.5 text-sm hover:border-line-strong "
    + "data-invalid:border-bad disabled:opacity-60",
  { variants: { kind: { input: "h-8", area: "w-full resize-y py-1.5" } } }
)

/** A width other than the whole one replaces it. */
export const inputLook = (className = "w-full") => look({ kind: "input", className })
export const areaLook = (className?: string) => look({ kind: "area", className })

/** A labelled control with a hint, and the error that the service reported for it until somebody types. */
export const Field = ({ aside, children, error, hint, label }: {
  readonly label: string
  /** Beside the label. */
  readonly aside?: ReactNode
  readonly hint?: string
  readonly error?: string | undefined
  readonly children: ReactNode
}) => {
  const [isCorrected, setIsCorrected] = useState(false)
  useEffect(() => setIsCorrected(false), [error])
  const shown = isCorrected ? undefined : error
  return (
    <Base.Root invalid={shown !== undefined} className="flex flex-col gap-1" onInput={() => setIsCorrected(true)}>
      <div className="flex items-center justify-between gap-2">
        <Base.Label className="font-medium">{label}</Base.Label>
        {aside}
      </div>
      {children}
      {hint !== undefined && <Base.Description className="text-xs text-muted">{hint}</Base.Description>}
      {shown !== undefined && <Base.Error match className="text-xs text-bad">{shown}</Base.Error>}
    </Base.Root>
  )
}

export const Input = ({ className, ...rest }: Omit<ComponentProps<typeof Base.Control>, "className"> & {
  readonly className?: string
}) => <Base.Control className={inputLook(`w-full ${className ?? ""}`)} {...rest} />

export const TextArea = ({ className, ...rest }: ComponentProps<"textarea">) => (
  <Base.Control render={<textarea className={areaLook(className ?? "min-h-20")} {...rest} />} />
)

export const Select = ({ className, ...rest }: ComponentProps<"select">) => (
  <Base.Control render={<select className={inputLook(className)} {...rest} />} />
)
