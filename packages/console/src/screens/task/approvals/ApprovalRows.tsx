import { useQuery } from "@tanstack/react-query"
import type { Approval, Task } from "@troupe/client"
import { useState } from "react"
import { Button } from "../../../parts/Button.tsx"
import { Kbd } from "../../../parts/Kbd.tsx"
import { Problem } from "../../../parts/Problem.tsx"
import { sessionQuery } from "../../../service/SessionQueries.ts"
import { useDecide } from "../../../service/TaskQueries.ts"
import { useApprovalKeys } from "./ApprovalKeys.ts"
import { isLong, isOpen, mayDecide } from "./ApprovalText.ts"
import { DecidedRow } from "./DecidedRow.tsx"
import { OpenRow } from "./OpenRow.tsx"

/** Whether the signed-in person may decide; it only hides buttons: the service checks every decision. */
const useMayDecide = (task: Task) => {
  const session = useQuery(sessionQuery).data
  return (approval: Approval): boolean => session !== undefined && mayDecide(session, task, approval)
}

/** The calls of a question, each with its decision or what it takes to decide; the first open one has the keys. */
export const ApprovalRows = ({ hasKeys = false, rows, task }: {
  readonly rows: ReadonlyArray<Approval>
  readonly task: Task
  readonly hasKeys?: boolean
}) => {
  const isMine = useMayDecide(task)
  const decideAll = useDecide(task.id)
  const [edited, setEdited] = useState<ReadonlySet<string>>(new Set())
  const open = rows.filter((row) => isOpen(row) && isMine(row))
  const isReady = !decideAll.isPending && open.length > 1
  const mayApprove = isReady && !open.some(({ id }) => edited.has(id))
  const decide = (decision: "approve" | "deny") =>
    decideAll.mutate(open.map(({ id, tool_call_id }) => ({ tool_call_id, approval: id, decision })))
  const approveAll = () => decide("approve")
  const hasAllKey = hasKeys && mayApprove && !open.some(isLong)
  useApprovalKeys(hasAllKey ? { "Shift+A": approveAll } : {})
  return (
    <div className="flex flex-col gap-2" role="group" aria-label="Calls to decide about">
      {rows.map((row) =>
        isOpen(row)
          ? (
            <OpenRow
              key={row.id}
              approval={row}
              task={task}
              mayDecide={isMine(row)}
              hasKeys={hasKeys && row.id === open[0]?.id}
              onEdit={(isEdited) =>
                setEdited((before) =>
                  new Set([...[...before].filter((id) => id !== row.id), ...isEdited ? [row.id] : []])
                )}
            />
          )
          : <DecidedRow key={row.id} approval={row} />
      )}
      {decideAll.error !== null && <Problem error={decideAll.error} title="The decision was not saved" />}
      {open.length > 1 && (
        <div className="flex flex-wrap gap-2">
          <Button
            disabled={!mayApprove}
            title={mayApprove ? undefined : "Decide about the calls that you edit one by one"}
            onClick={approveAll}
          >
            Approve all ({open.length})
            {hasAllKey && (
              <span aria-hidden>
                <Kbd keys={["Shift", "a"]} />
              </span>
            )}
          </Button>
          <Button kind="danger" disabled={!isReady} onClick={() => decide("deny")}>Deny all ({open.length})</Button>
        </div>
      )}
    </div>
  )
}
