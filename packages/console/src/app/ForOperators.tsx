import { Link } from "@tanstack/react-router"
import { ShieldCheck } from "lucide-react"
import type { ReactNode } from "react"
import { Empty } from "../parts/Empty.tsx"
import { Loading } from "../parts/Loading.tsx"
import { Screen } from "../parts/Screen.tsx"
import { useMayOperate } from "../service/Rights.ts"

/** A screen that only the owner and admins may see; for a member who typed its address, why there is nothing, and a way on. */
export const ForOperators = ({ children, title, what }: {
  readonly title: string
  readonly what: string
  readonly children: ReactNode
}) => {
  const mayOperate = useMayOperate()
  if (mayOperate === true) return children
  return (
    <Screen title={title}>
      {mayOperate === undefined ? <Loading /> : (
        <Empty icon={ShieldCheck} title="For the owner and admins">
          <p>
            Only they may {what}. See the <Link to="/team" className="text-accent underline">team</Link>{" "}
            for their names.
          </p>
        </Empty>
      )}
    </Screen>
  )
}
