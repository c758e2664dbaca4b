import { useSyncExternalStore } from "react"

/** A value outside of components that components follow. */
export interface Store<A> {
  readonly get: () => A
  readonly set: (value: A) => void
  readonly use: () => A
}

export const makeStore = <A>(initial: A): Store<A> => {
  let value = initial
  const listeners = new Set<() => void>()
  const get = () => value
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  return {
    get,
    set: (next) => {
      value = next
      for (const listener of listeners) listener()
    },
    use: () => useSyncExternalStore(subscribe, get)
  }
}
