import { useEffect } from "react"
import { makeStore } from "../service/Store.ts"

/** The name of the task, skill or person that a screen shows. The shell adds it to the page title. */
export const shownTitle = makeStore("")

export const useTitle = (title: string): void => useEffect(() => shownTitle.set(title), [title])
