import { useRouter } from "@tanstack/react-router"
import type { Task } from "@troupe/client"
import { useState } from "react"
import { toast } from "sonner"
import { Button } from "../../parts/Button.tsx"
import { copyText } from "../../parts/Clipboard.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { DialogActions } from "../../parts/DialogActions.tsx"
import { Field, Input } from "../../parts/Field.tsx"
import { Form } from "../../parts/Form.tsx"
import { Archive, ArchiveRestore, Ban, Link2, RotateCcw, Trash2 } from "../../parts/Icons.ts"
import { Modal } from "../../parts/Modal.tsx"
import { announced } from "../../parts/Outcome.ts"
import { openNewTask } from "../../parts/Overlays.ts"
import { Problem } from "../../parts/Problem.tsx"
import { offerUndo } from "../../parts/Undo.ts"
import { useTaskRights } from "../../service/Rights.ts"
import { useCancel, useRemove, useRestore } from "../../service/TaskQueries.ts"
import { RetryButton } from "./RetryButton.tsx"
import { isFinished, isOverBudget } from "./TaskState.ts"

const CancelDialog = ({ onClose, task }: { readonly task: Task; readonly onClose: () => void }) => {
  const [reason, setReason] = useState("")
  const cancel = useCancel(task.id)
  return (
    <Modal isOpen keepsInput onClose={onClose} title="Cancel the task?">
      <Form
        onSubmit={() => cancel.mutate(reason.trim(), { onSuccess: onClose })}
      >
        <p>The task and its subtasks stop. It can be retried from its last saved step.</p>
        <Field label="Reason" hint="Optional; shown as the error of the task">
          <Input autoFocus value={reason} onChange={({ target }) => setReason(target.value)} />
        </Field>
        {cancel.error !== null && <Problem error={cancel.error} title="The task was not cancelled" />}
        <DialogActions cancel="Keep the task" onCancel={onClose}>
          <Button kind="danger" type="submit" disabled={cancel.isPending}>Cancel the task</Button>
        </DialogActions>
      </Form>
    </Modal>
  )
}

/** Archives a finished task; un-archives or deletes an archived one. */
const Removal = ({ task }: { readonly task: Task }) => {
  const [isAsking, setIsAsking] = useState(false)
  const router = useRouter()
  const remove = useRemove(task.id)
  const restore = useRestore(task.id)
  if (task.archived_at === null) {
    return (
      <Button
        kind="ghost"
        size="icon"
        aria-label="Archive"
        title="Archive: leaves the lists, nothing is deleted"
        disabled={remove.isPending}
        onClick={() =>
          remove.mutate(undefined, {
            ...announced("", "The task was not archived"),
            onSuccess: () => offerUndo("Task archived", () => restore.mutateAsync())
          })}
      >
        <Archive aria-hidden />
      </Button>
    )
  }
  return (
    <>
      <Button
        size="small"
        disabled={restore.isPending}
        onClick={() => restore.mutate(undefined, announced("Task un-archived", "The task is still archived"))}
      >
        <ArchiveRestore aria-hidden /> Un-archive
      </Button>
      <Button kind="danger" size="small" onClick={() => setIsAsking(true)}>
        <Trash2 aria-hidden /> Delete
      </Button>
      {isAsking && (
        <Confirm
          title="Delete this task?"
          action="Delete the task"
          error={remove.error}
          isPending={remove.isPending}
          onClose={() => setIsAsking(false)}
          onConfirm={() =>
            // Not by `onSuccess`: the event of the deletion may take this screen away first.
            void remove.mutateAsync().then(
              () => router.navigate({ to: "/tasks", replace: true }),
              () => undefined
            )}
        >
          <p>The task, its subtasks, their steps and their results are deleted for good. Files stay.</p>
        </Confirm>
      )}
    </>
  )
}

/** What the one who works here can do with a task in its state. */
export const TaskActions = ({ task }: { readonly task: Task }) => {
  const [isCancelling, setIsCancelling] = useState(false)
  const { mayChange = false, mayDelete = false } = useTaskRights(task)
  const copyLink = () => copyText(location.href, () => void toast.success("Link copied"))
  return (
    <div className="flex items-center gap-1">
      <Button kind="ghost" size="icon" aria-label="Copy link" title="Copy link" onClick={copyLink}>
        <Link2 aria-hidden />
      </Button>
      {mayDelete && isFinished(task) && task.parent_task_id === null && <Removal task={task} />}
      {mayChange && isOverBudget(task) && task.parent_task_id === null && (
        <Button
          kind="primary"
          size="small"
          onClick={() => openNewTask({ again: task })}
        >
          <RotateCcw aria-hidden /> Start again with a larger budget
        </Button>
      )}
      {mayChange && task.status === "failed" && (!isOverBudget(task) || task.parent_task_id !== null) && (
        <RetryButton kind="primary" size="small" taskId={task.id} />
      )}
      {mayChange && !isFinished(task) && (
        <Button kind="danger" size="small" onClick={() => setIsCancelling(true)}>
          <Ban aria-hidden /> Cancel
        </Button>
      )}
      {isCancelling && <CancelDialog task={task} onClose={() => setIsCancelling(false)} />}
    </div>
  )
}
