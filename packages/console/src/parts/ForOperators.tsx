import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useMayOperate } from "../service/Rights.ts"
import { sessionQuery } from "../service/SessionQueries.ts"
import { Empty } from "./Empty.tsx"
import { ShieldCheck } from "./Icons.ts"
import { Loaded } from "./Loaded.tsx"
import { Screen } from "./Screen.tsx"

/** A screen that only the owner and admins may see; for a member who typed its address, why there is nothing, and a way on. */
export const ForOperators = ({ children, title, what }: {
  readonly title: string
  readonly what: string
  readonly children: ReactNode
}) => {
  const session = useQuery(sessionQuery)
  if (useMayOperate() === true) return children
  return (
    <Screen title={title}>
      <Loaded errorLook="p-3" name="session" query={session}>
        {() => (
          <Empty icon={ShieldCheck} title="For the owner and admins">
            <p>
              Only they may {what}. See the <Link to="/team" className="text-accent underline">team</Link>{" "}
              for their names.
            </p>
          </Empty>
        )}
      </Loaded>
    </Screen>
  )
}
