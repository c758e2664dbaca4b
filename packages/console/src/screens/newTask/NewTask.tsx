import { useRouter } from "@tanstack/react-router"
import { TroupeError } from "@troupe/client"
import { useRef, useState } from "react"
import { toast } from "sonner"
import { closeOverlay } from "../../app/Overlays.ts"
import { Button } from "../../parts/Button.tsx"
import { Field, Input } from "../../parts/Field.tsx"
import { Kbd } from "../../parts/Kbd.tsx"
import { Modal } from "../../parts/Modal.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useDraft } from "../../service/Drafts.ts"
import { useSubmit } from "../../service/TaskQueries.ts"
import { Attachments } from "./Attachments.tsx"
import { MessageEditor } from "./MessageEditor.tsx"

/** The request for a new task. What was typed stays until it is sent. */
const NewTask = ({ given }: { readonly given: { readonly message?: string; readonly continues?: string } }) => {
  const router = useRouter()
  const [draft, setDraft] = useDraft("new-task")
  const [typed, setTyped] = useState<string | undefined>(given.message)
  const message = typed ?? draft
  const [attachments, setAttachments] = useState<ReadonlyArray<string>>([])
  const [options, setOptions] = useState({ project_id: "", assignee: "", max_tokens_total: "" })
  // The same request is sent again with the same key, so that it makes one task.
  const key = useRef({ body: "", key: "" })
  const submit = useSubmit()
  const errorAt = (path: string) =>
    submit.error instanceof TroupeError ? submit.error.errors.find((error) => error.path === path)?.message : undefined

  const send = () => {
    if (message.trim() === "" || submit.isPending) return
    const task = {
      message,
      attachments,
      ...(given.continues === undefined ? {} : { continue_task_id: given.continues }),
      ...(options.project_id === "" ? {} : { project_id: options.project_id }),
      ...(options.assignee === "" ? {} : { assignee: options.assignee }),
      ...(options.max_tokens_total === "" ? {} : { max_tokens_total: Number(options.max_tokens_total) })
    }
    const body = JSON.stringify(task)
    if (key.current.body !== body) key.current = { body, key: crypto.randomUUID() }
    submit.mutate({ task, idempotencyKey: key.current.key }, {
      onSuccess: ({ id, title }) => {
        setDraft("")
        closeOverlay()
        toast.success("Task created", { description: title })
        void router.navigate({ to: "/tasks/$taskId", params: { taskId: id } })
      }
    })
  }

  const option = (name: keyof typeof options, label: string, hint: string) => (
    <Field label={label} hint={hint} error={errorAt(name)}>
      <Input
        value={options[name]}
        inputMode={name === "max_tokens_total" ? "numeric" : "text"}
        onChange={({ target }) =>
          setOptions({ ...options, [name]: target.value.trim() })}
      />
    </Field>
  )

  return (
    <Modal
      isOpen
      onClose={closeOverlay}
      title={given.continues === undefined ? "New task" : "Continue the task"}
      width="max-w-2xl"
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send()
        }}
      >
        <MessageEditor
          message={message}
          error={errorAt("message")}
          onChange={(text) => {
            setTyped(undefined)
            setDraft(text)
          }}
        />
        <Attachments names={attachments} onChange={setAttachments} />
        <details>
          <summary className="w-fit text-muted hover:text-text">Project, assignee, token budget</summary>
          <div className="mt-3 grid gap-3 sm:grid-cols-3">
            {option("project_id", "Project", "Channel or project it belongs to")}
            {option("assignee", "Assignee", "Who answers its questions")}
            {option("max_tokens_total", "Token budget", "At least 4000; empty: no limit")}
          </div>
        </details>
        {submit.error !== null && <Problem error={submit.error} title="The task was not created" />}
        <div className="flex items-center justify-end gap-3">
          <span className="text-xs text-muted max-sm:hidden">
            <Kbd keys={["Ctrl", "Enter"]} />
          </span>
          <Button onClick={closeOverlay}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={message.trim() === "" || submit.isPending}>
            {submit.isPending ? "Creating …" : "Create task"}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

export default NewTask
