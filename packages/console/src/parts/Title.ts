import { useEffect } from "react"
import { makeStore } from "../service/Store.ts"

/** The name of what is shown; the shell writes it into the title of the page. */
export const shownTitle = makeStore("")

export const useTitle = (title: string): void => useEffect(() => shownTitle.set(title), [title])
