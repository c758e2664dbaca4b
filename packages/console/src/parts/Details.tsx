import type { UseQueryResult } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { Loaded } from "./Loaded.tsx"
import { Modal } from "./Modal.tsx"

/** A dialog about one entry of a list, which is loaded when it opens. */
export const Details = <A extends object>(
  { children, keepsInput = false, name, onClose, query, titleOf, width = "max-w-3xl" }: {
    /** What it is about, as a noun: `schedule`. */
    readonly name: string
    readonly query: UseQueryResult<A>
    /** The title once it is loaded; until then its noun. */
    readonly titleOf?: (entry: A) => string
    readonly width?: string
    /** As of `Modal`. */
    readonly keepsInput?: boolean
    readonly onClose: () => void
    readonly children: (entry: A) => ReactNode
  }
) => {
  const { data } = query
  const noun = name.charAt(0).toUpperCase() + name.slice(1)
  return (
    <Modal
      isOpen
      keepsInput={keepsInput}
      onClose={onClose}
      title={data === undefined ? noun : titleOf?.(data) ?? noun}
      width={width}
    >
      <Loaded errorLook="not-last:mb-3" name={name} query={query}>{children}</Loaded>
    </Modal>
  )
}
