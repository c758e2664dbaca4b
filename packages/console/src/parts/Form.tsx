import type { ComponentProps } from "react"

/** A form whose fields stand below each other. Submitting it calls `onSubmit`; the page stays. */
export const Form = (
  { className = "flex flex-col gap-3", onSubmit, ...rest }:
    & Omit<ComponentProps<"form">, "onSubmit">
    & { readonly onSubmit: () => void }
) => (
  <form
    {...rest}
    className={className}
    onSubmit={(event) => {
      event.preventDefault()
      onSubmit()
    }}
  />
)
