import type { Task } from "@troupe/client"
import { makeStore } from "../service/Store.ts"

/** What a new task begins with: a text, or the task that it begins anew with a larger budget. */
export interface GivenTask {
  readonly message?: string
  /** The agent that works on it. */
  readonly agent?: string
  readonly again?: Task
}

/** What is open over the screen. */
export type Overlay =
  | { readonly _tag: "commands" }
  | { readonly _tag: "shortcuts" }
  | ({ readonly _tag: "newTask" } & GivenTask)
  | { readonly _tag: "connectModel"; readonly next: GivenTask | undefined }

export const overlay = makeStore<Overlay | null>(null)

export const openNewTask = (given: GivenTask = {}): void => overlay.set({ _tag: "newTask", ...given })

/** The form of a new model. `next`: the task that opens again when it is closed. */
export const openConnectModel = (next?: GivenTask): void => overlay.set({ _tag: "connectModel", next })

export const closeOverlay = (): void => overlay.set(null)
