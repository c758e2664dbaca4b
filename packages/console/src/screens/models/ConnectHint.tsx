import { Button } from "../../parts/Button.tsx"
import { openConnectModel } from "../../parts/Overlays.ts"
import { useMayOperate } from "../../service/Rights.ts"
import { useHasModel } from "../../service/SystemQueries.ts"

/** Offers to connect a model while the offline model answers. */
export const ConnectHint = () => {
  const mayOperate = useMayOperate() === true
  if (useHasModel() !== false) return null
  return (
    <div className="m-4 flex flex-wrap items-center justify-between gap-2 rounded-md bg-accent-soft px-3 py-2">
      <p>
        No language model is connected: the built-in offline model answers, which understands no language.
        {!mayOperate && " The owner and admins connect one."}
      </p>
      {mayOperate && <Button kind="primary" onClick={() => openConnectModel()}>Connect a model</Button>}
    </div>
  )
}
