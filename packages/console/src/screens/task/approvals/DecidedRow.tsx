import type { Approval } from "@troupe/client"
import { useState } from "react"
import { CircleCheck, CircleMinus, CircleX } from "../../../parts/Icons.ts"
import { Doer } from "../thread/Doer.tsx"
import { deciderOf, visibleSigns } from "./ApprovalText.ts"
import { Arguments } from "./Arguments.tsx"

const looks = {
  approved: { Icon: CircleCheck, tone: "text-good", did: "approved it" },
  denied: { Icon: CircleX, tone: "text-bad", did: "denied it" },
  cancelled: { Icon: CircleMinus, tone: "text-muted", did: "" },
  open: { Icon: CircleMinus, tone: "text-muted", did: "" }
} as const

/** Who decided about a call, when and by which way, with the arguments on demand. */
export const DecidedRow = ({ approval }: { readonly approval: Approval }) => {
  const { arguments: given, decided_at, edited, reason, status, tool } = approval
  const [isWhole, setIsWhole] = useState(false)
  const { Icon, did, tone } = looks[status]
  return (
    <details className="rounded-md border bg-surface px-3 py-2">
      <summary className="cursor-pointer">
        <Icon aria-hidden className={`mr-1.5 inline size-4 ${tone}`} />
        <span className="font-medium break-words">{visibleSigns(tool)}</span>{" "}
        <span className="text-xs text-muted">
          {did === ""
            ? "was not decided"
            : <Doer by={deciderOf(approval)} did={edited ? `${did} with other arguments` : did} at={decided_at} />}
        </span>
      </summary>
      <div className="mt-2 flex flex-col gap-2">
        {reason !== null && <p className="break-words">{visibleSigns(reason)}</p>}
        <Arguments given={given} isWhole={isWhole} onWhole={() => setIsWhole(true)} />
      </div>
    </details>
  )
}
