import { createContext, useContext, useMemo, useState } from "react"

/** What is unfolded in a thread: entries out of view are not there, so they can't know it themselves. */
interface Folds {
  readonly isOpen: (id: string) => boolean
  readonly toggle: (id: string) => void
}

export const FoldsContext = createContext<Folds>({ isOpen: () => false, toggle: () => {} })

export const useFolds = (): Folds => useContext(FoldsContext)

export const useFoldsState = (): Folds => {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  return useMemo(() => ({
    isOpen: (id) => open.has(id),
    toggle: (id) =>
      setOpen((now) => {
        const next = new Set(now)
        if (!next.delete(id)) next.add(id)
        return next
      })
  }), [open])
}
