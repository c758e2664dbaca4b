import type { UseQueryResult } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { Loading } from "./Loading.tsx"
import { Modal } from "./Modal.tsx"
import { Problem } from "./Problem.tsx"

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
  const { data, error, refetch } = query
  const noun = name.charAt(0).toUpperCase() + name.slice(1)
  return (
    <Modal
      isOpen
      keepsInput={keepsInput}
      onClose={onClose}
      title={data === undefined ? noun : titleOf?.(data) ?? noun}
      width={width}
    >
      {error !== null && (
        <div className={data === undefined ? "" : "mb-3"}>
          <Problem error={error} title={`The ${name} could not be loaded`} onRetry={() => void refetch()} />
        </div>
      )}
      {data === undefined ? error === null && <Loading /> : children(data)}
    </Modal>
  )
}
