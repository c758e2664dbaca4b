import { makeStore } from "./Store.ts"

/** What is about to be deleted, by a key: it is hidden, and still there. */
export const leaving = makeStore<ReadonlySet<string>>(new Set())

/** What sends each deletion that can still be taken back. */
export const unsent = new Map<string, () => Promise<unknown>>()

/** Sends all waiting deletions at once. A file, skill or agent that is saved next may have the name of a deleted one. */
export const sendUnsent = (): Promise<unknown> => Promise.all([...unsent.values()].map((send) => send()))

// Who leaves the page has not taken it back: requests with `keepalive` outlive the page.
addEventListener("pagehide", () => void sendUnsent())
