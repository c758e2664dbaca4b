import type { Approval, ApprovalsRequest, Task } from "@troupe/client"
import { useState } from "react"
import { Badge } from "../../../parts/Badge.tsx"
import { Button } from "../../../parts/Button.tsx"
import { Field, Input, TextArea } from "../../../parts/Field.tsx"
import { Kbd } from "../../../parts/Kbd.tsx"
import { fieldError } from "../../../parts/Outcome.ts"
import { plural } from "../../../parts/Plural.ts"
import { Problem } from "../../../parts/Problem.tsx"
import { sizeText } from "../../../parts/Size.ts"
import { useDecide } from "../../../service/TaskQueries.ts"
import { useNameOf } from "../../../service/UserNames.ts"
import { useApprovalKeys } from "./ApprovalKeys.ts"
import { approversText, isLong, textOf, visibleSigns } from "./ApprovalText.ts"
import { Arguments } from "./Arguments.tsx"
import { editedOf, type Typed } from "./EditedArguments.ts"
import { Proposal, usePastCalls } from "./EqualCalls.tsx"
import { nothing, Remember } from "./Remember.tsx"
import { WhyAsked } from "./WhyAsked.tsx"

type Decision = ApprovalsRequest["decisions"][number]

const unedited: Typed = new Map()

/** A call that waits for a decision: what it would do, why it asks, and the buttons that decide. */
export const OpenRow = ({ approval, hasKeys, mayDecide, onEdit, task }: {
  readonly approval: Approval
  readonly task: Task
  readonly mayDecide: boolean
  /** Whether the keys `a` and `d` decide about it. */
  readonly hasKeys: boolean
  readonly onEdit: (isEdited: boolean) => void
}) => {
  const { arguments: given, files, requester, server, tool, tool_call_id } = approval
  const nameOf = useNameOf()
  const [isWhole, setIsWhole] = useState(!isLong(approval))
  const [isEditing, setIsEditing] = useState(false)
  const [typed, setTyped] = useState(unedited)
  const [remembered, setRemembered] = useState(nothing)
  const [isDenying, setIsDenying] = useState(false)
  const [reason, setReason] = useState("")
  const past = usePastCalls(approval, task, mayDecide)
  const decide = useDecide(task.id)
  const edited = editedOf(given, typed)
  const isReady = !decide.isPending && edited.errors.size === 0
  const edit = (next: boolean) => {
    setIsEditing(next)
    setIsWhole(true)
    setTyped(unedited)
    onEdit(next)
  }
  const send = (decision: Omit<Decision, "approval" | "tool_call_id">) =>
    !decide.isPending && decide.mutate([{ tool_call_id, approval: approval.id, ...decision }])
  const approve = () =>
    isReady && send({
      decision: "approve",
      ...(edited.arguments === null ? {} : { arguments: edited.arguments }),
      ...(remembered.scope === "" ? {} : { remember: { scope: remembered.scope, same: remembered.same } })
    })
  const deny = () => send({ decision: "deny", ...(reason.trim() === "" ? {} : { reason }) })
  // Nobody approves by a key what they have not seen whole.
  useApprovalKeys(hasKeys ? { a: isWhole ? approve : undefined, d: deny } : {})
  const errorAt = (name: string) => edited.errors.get(name) ?? fieldError(decide.error, `decisions.0.arguments.${name}`)
  const isShownAtField = Object.keys(given).some((name) => errorAt(name) !== undefined)
  return (
    <article aria-label={visibleSigns(tool)} className="flex flex-col gap-2 rounded-md border bg-surface p-3">
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-medium break-all">{visibleSigns(tool)}</span>
        {server !== null && <span className="text-muted">of the tool server {visibleSigns(server)}</span>}
        <Badge tone={approval.class === "destructive" ? "bad" : "muted"}>{approval.class}</Badge>
        <span className="text-xs text-muted">for {nameOf(requester).replace(/^You$/, "you")}</span>
      </p>
      {isEditing
        ? Object.entries(given).map(([name, value]) => (
          <Field
            key={name}
            label={visibleSigns(name)}
            error={errorAt(name)}
            {...(typeof value === "string" ? {} : { hint: "JSON; leave empty to omit it" })}
          >
            <TextArea
              rows={3}
              value={typed.get(name) ?? textOf(value)}
              onChange={({ target }) => setTyped(new Map(typed).set(name, target.value))}
            />
          </Field>
        ))
        : <Arguments given={given} isWhole={isWhole} onWhole={() => setIsWhole(true)} />}
      {files.length > 0 && (
        <ul aria-label="Files" className="text-xs">
          {files.map(({ path, sha256, size }) => (
            <li key={path} className="break-all">
              {visibleSigns(path)} ({sizeText(size)}, SHA-256 {sha256.slice(0, 12)}…)
            </li>
          ))}
        </ul>
      )}
      <WhyAsked approval={approval} />
      {!mayDecide && <p className="text-wait">Only {approversText(approval, nameOf)} may decide.</p>}
      {mayDecide && (
        <>
          {remembered.scope === "" && isWhole && !isEditing && (
            <Proposal approval={approval} task={task} past={past} onTake={setRemembered} />
          )}
          {approval.class !== "destructive" && isWhole && (
            <Remember
              approval={approval}
              task={task}
              past={past}
              chosen={remembered}
              onChange={setRemembered}
            />
          )}
          {isDenying && (
            <Field label="Reason" hint="Shown to the agent">
              <Input value={reason} maxLength={4_000} onChange={({ target }) => setReason(target.value)} />
            </Field>
          )}
          {decide.error !== null && !isShownAtField && (
            <Problem error={decide.error} title="The decision was not saved" />
          )}
          <div className="flex flex-wrap gap-2">
            <Button kind="primary" disabled={!isReady} onClick={approve}>
              {edited.arguments === null ? "Approve" : "Approve as edited"}
              {hasKeys && isWhole && (
                <span aria-hidden>
                  <Kbd keys={["a"]} />
                </span>
              )}
            </Button>
            <Button kind="danger" disabled={decide.isPending} onClick={deny}>
              Deny
              {hasKeys && (
                <span aria-hidden>
                  <Kbd keys={["d"]} />
                </span>
              )}
            </Button>
            {!isDenying && (
              <Button
                kind="ghost"
                onClick={() => setIsDenying(true)}
              >
                Give a reason
              </Button>
            )}
            {Object.keys(given).length > 0 && (
              <Button
                kind="ghost"
                onClick={() => edit(!isEditing)}
              >
                {isEditing ? "Don't edit" : `Edit ${plural(Object.keys(given).length, "argument")}`}
              </Button>
            )}
          </div>
        </>
      )}
    </article>
  )
}
