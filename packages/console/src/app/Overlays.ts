import { makeStore } from "../service/Store.ts"

/** What is open over the screen. */
export type Overlay =
  | { readonly _tag: "commands" }
  | { readonly _tag: "shortcuts" }
  | { readonly _tag: "newTask"; readonly message?: string; readonly continues?: string }

export const overlay = makeStore<Overlay | null>(null)

export const openNewTask = (given: { readonly message?: string; readonly continues?: string } = {}): void =>
  overlay.set({ _tag: "newTask", ...given })

export const closeOverlay = (): void => overlay.set(null)
