import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { Approval, Task } from "@troupe/client"
import { equalApprovals, lastCalls, type PastApproval, sameText } from "@troupe/client/EqualApprovals"
import { Button } from "../../../parts/Button.tsx"
import { plural } from "../../../parts/Plural.ts"
import { lastApprovalsQuery } from "../../../service/ApprovalQueries.ts"
import { useMayOperate } from "../../../service/Rights.ts"
import { visibleSigns } from "./ApprovalText.ts"
import { pointerTo, type Remembered } from "./Remember.tsx"

export type PastCall = PastApproval & Pick<Approval, "task_id">

/** The last calls of the tool that were decided, newest first; without an agent, those of the same person. */
export const usePastCalls = (
  { requester, tool }: Approval,
  { agent }: Task,
  isWanted: boolean
): ReadonlyArray<PastCall> => {
  const found = useQuery({ ...lastApprovalsQuery(tool), enabled: isWanted }).data ?? []
  return found
    .filter((one) =>
      (one.status === "approved" || one.status === "denied") && (agent !== null || one.requester === requester)
    )
    .slice(0, lastCalls)
    .map((one) => ({ arguments: one.arguments, isApproved: one.status === "approved", task_id: one.task_id }))
}

/** After many equal approvals: what need not be asked any more. */
export const Proposal = ({ approval, onTake, past, task }: {
  readonly approval: Approval
  readonly task: Task
  readonly past: ReadonlyArray<PastCall>
  readonly onTake: (remembered: Remembered) => void
}) => {
  const mayOperate = useMayOperate() === true
  const equal = equalApprovals(approval.arguments, past)
  if (equal === null) return null
  const isDestructive = approval.class === "destructive"
  return (
    <div className="flex flex-wrap items-center justify-between gap-2 rounded-md bg-accent-soft px-3 py-2">
      <p className="min-w-0 flex-1 basis-64 break-words">
        {equal.approved} of the last {plural(equal.of, "call")} were like this one,{" "}
        {visibleSigns(sameText(equal.same))}, and all of these were approved.
        {isDestructive && " A destructive call is asked about each time, unless a rule allows it."}
      </p>
      {!isDestructive && (
        <Button
          size="small"
          onClick={() =>
            onTake({ scope: task.schedule_id === null ? "agent" : "schedule", same: equal.same.map(pointerTo) })}
        >
          Approve later ones too
        </Button>
      )}
      {isDestructive && mayOperate && approval.rule === null && (
        <Link to="/policy" className="text-accent underline underline-offset-2">Write a rule</Link>
      )}
    </div>
  )
}
