import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { buttonLook } from "../../parts/Button.tsx"
import { useMayOperate } from "../../service/Rights.ts"
import { versionQuery } from "../../service/SystemQueries.ts"

/** Offers to connect a model while the offline model answers. */
export const ConnectHint = () => {
  const version = useQuery(versionQuery).data
  const mayOperate = useMayOperate() === true
  if (version?.features["language_model"] !== false) return null
  return (
    <div className="m-4 flex flex-wrap items-center justify-between gap-2 rounded-md bg-accent-soft px-3 py-2">
      <p>
        No language model is connected: the built-in offline model answers, which understands no language.
        {!mayOperate && " The owner and admins connect one."}
      </p>
      {mayOperate && (
        <Link to="/models" search={{ connect: true }} className={buttonLook({ kind: "primary" })}>Connect a model</Link>
      )}
    </div>
  )
}
