import { useEffect } from "react"
import { shownTitle } from "../parts/Title.ts"
import { isOf, kindOf, useInbox } from "../service/InboxQueries.ts"

/** How much waits for the one who works here: questions and failures, while a result needs nothing. */
const useInboxCount = (): number => {
  const { data: entries, me } = useInbox()
  return entries?.filter((entry) => isOf(me, entry) && kindOf(entry) !== "result").length ?? 0
}

/** In the title of the page, where it is seen from another tab. */
export const PageTitle = () => {
  const count = useInboxCount()
  const title = shownTitle.use()
  useEffect(() => {
    document.title = `${count === 0 ? "" : `(${count}) `}${title === "" ? "" : `${title} · `}Troupe`
  }, [count, title])
  return null
}

export const InboxCount = () => {
  const count = useInboxCount()
  return count === 0 ?
    null :
    (
      <span className="ml-auto min-w-5 rounded-full bg-wait-soft px-1.5 text-center text-xs text-wait tabular-nums">
        <span className="sr-only">,</span>
        {count}
        <span className="sr-only">open</span>
      </span>
    )
}
