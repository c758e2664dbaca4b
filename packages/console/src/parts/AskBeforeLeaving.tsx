import { useBlocker } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { Confirm } from "./Confirm.tsx"

/** Asks before a screen is left with changes that are not saved. */
export const AskBeforeLeaving = ({ children, isKept, when }: {
  /** There are such changes. */
  readonly when: boolean
  /** This browser stores the changes. Without that, a reload or another view of the screen loses them. */
  readonly isKept: boolean
  /** What happens to the changes when the person leaves. */
  readonly children: ReactNode
}) => {
  const leaving = useBlocker({
    disabled: !when,
    shouldBlockFn: ({ current, next }) =>
      current.pathname !== next.pathname
      || !isKept && JSON.stringify(current.search) !== JSON.stringify(next.search),
    enableBeforeUnload: when && !isKept,
    withResolver: true
  })
  return leaving.status === "blocked" && (
    <Confirm
      title="Your changes are not saved"
      action="Leave without saving"
      leave="Stay here"
      isPending={false}
      error={null}
      onClose={leaving.reset}
      onConfirm={leaving.proceed}
    >
      <p>{children}</p>
    </Confirm>
  )
}
