import { useRouter } from "@tanstack/react-router"
import type { Task } from "@troupe/client"
import { useRef, useState } from "react"
import { toast } from "sonner"
import { Button } from "../../parts/Button.tsx"
import { DialogActions } from "../../parts/DialogActions.tsx"
import { Form } from "../../parts/Form.tsx"
import { Kbd } from "../../parts/Kbd.tsx"
import { MarkdownEditor } from "../../parts/MarkdownEditor.tsx"
import { Modal } from "../../parts/Modal.tsx"
import { wholeNumberFault } from "../../parts/Numbers.ts"
import { fieldError } from "../../parts/Outcome.ts"
import { closeOverlay, type GivenTask, openConnectModel } from "../../parts/Overlays.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useDraft, useDraftFields } from "../../service/Drafts.ts"
import { randomKey } from "../../service/RandomKey.ts"
import { useMayOperate } from "../../service/Rights.ts"
import { useSubmit } from "../../service/TaskQueries.ts"
import { useUploads } from "../../service/Uploads.ts"
import { useIsUnanswered } from "../models/Unanswered.ts"
import { Attachments } from "./Attachments.tsx"
import { SelectionPreview } from "./SelectionPreview.tsx"
import { noOptions, TaskOptions } from "./TaskOptions.tsx"

/** What the task had, with twice its budget. */
const optionsOf = ({ agent, assignee, attachments, project_id, token_budget }: Task) => ({
  agent: agent ?? "",
  project_id: project_id ?? "",
  assignee: assignee ?? "",
  max_tokens_total: token_budget === null ? "" : String(token_budget * 2),
  attachments: attachments.join("\n")
})

/** The request for a new task. What was typed and attached stays until it is sent. */
const NewTask = ({ given }: { readonly given: GivenTask }) => {
  const router = useRouter()
  // A text that is given has a place of its own, so that it does not replace what was typed before.
  const { again } = given
  const place = again !== undefined
    ? `again-${again.id}`
    : given.agent !== undefined
    ? `as-${given.agent}`
    : given.message !== undefined
    ? "given-task"
    : "new-task"
  const [draft, setDraft] = useDraft(place)
  const [typed, setTyped] = useState<string | undefined>(
    given.message ?? (draft === "" ? again?.description : undefined)
  )
  const message = typed ?? draft
  const { clear, fields: options, set } = useDraftFields(
    `${place}-options`,
    again === undefined ? { ...noOptions, agent: given.agent ?? "", attachments: "" } : optionsOf(again)
  )
  // Drafts may be read after the first render, once it is known whose they are; an emptied option closes nothing.
  const isOptionGiven = useRef(false)
  if (options.agent + options.project_id + options.assignee + options.max_tokens_total !== "") {
    isOptionGiven.current = true
  }
  const budgetFault = wholeNumberFault(options.max_tokens_total)
  const attachments = options.attachments.split("\n").filter((name) => name !== "")
  // Uploads may end between two renders.
  const latest = useRef<ReadonlyArray<string>>(attachments)
  latest.current = attachments
  const attach = (names: ReadonlyArray<string>) => {
    latest.current = names
    set({ attachments: names.join("\n") })
  }
  const uploads = useUploads(({ path }) => attach([...new Set([...latest.current, path])]))
  // The same request is sent again with the same key, so that it makes one task.
  const key = useRef({ body: "", key: "" })
  const submit = useSubmit()
  const continued = again?.continued_from ?? undefined
  const isUnanswered = useIsUnanswered(message, options.agent)
  const mayOperate = useMayOperate() === true
  const isReady = message.trim() !== "" && !isUnanswered && budgetFault === undefined && !submit.isPending
    && !uploads.isBusy

  const connect = () => openConnectModel(given.message === undefined ? given : { ...given, message })
  const send = () => {
    if (isUnanswered && mayOperate) return connect()
    if (!isReady) return
    const task = {
      message,
      attachments,
      // Its screen opens next, and shows the text as it comes.
      live: true,
      ...(continued === undefined ? {} : { continue_task_id: continued }),
      // Its files are its creator's.
      ...(again === undefined ? {} : { user_id: again.creator }),
      ...(options.agent === "" ? {} : { agent: options.agent }),
      ...(options.project_id === "" ? {} : { project_id: options.project_id }),
      ...(options.assignee === "" ? {} : { assignee: options.assignee }),
      ...(options.max_tokens_total === "" ? {} : { max_tokens_total: Number(options.max_tokens_total) })
    }
    const body = JSON.stringify(task)
    if (key.current.body !== body) key.current = { body, key: randomKey() }
    submit.mutate({ task, idempotencyKey: key.current.key }, {
      onSuccess: ({ id, title }) => {
        setDraft("")
        clear()
        closeOverlay()
        toast.success("Task created", { description: title })
        void router.navigate({ to: "/tasks/$taskId", params: { taskId: id } })
      }
    })
  }

  return (
    <Modal isOpen onClose={closeOverlay} title="New task" width="max-w-2xl">
      <Form
        onSubmit={send}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send()
        }}
      >
        <MarkdownEditor
          hasFocus
          isTyped
          label="What should the agent do?"
          placeholder="Describe the result you want. Markdown works."
          rows={8}
          text={message}
          error={fieldError(submit.error, "message")}
          onChange={(text) => {
            setTyped(undefined)
            setDraft(text)
          }}
        />
        <SelectionPreview message={message} onLeave={closeOverlay} />
        <Attachments
          names={attachments}
          uploads={uploads}
          onRemove={(name) => attach(latest.current.filter((other) => other !== name))}
        />
        <details open={isOptionGiven.current || budgetFault !== undefined}>
          <summary className="w-fit text-muted hover:text-text">Agent, project, assignee, token budget</summary>
          <TaskOptions
            options={options}
            errorAt={(field) =>
              (field === "max_tokens_total" ? budgetFault : undefined) ?? fieldError(submit.error, field)}
            onChange={set}
          />
        </details>
        {isUnanswered && (
          <p role="status" className="rounded-md bg-accent-soft px-3 py-2">
            No language model is connected, so this would not be understood.{" "}
            {mayOperate ? "Connect one:" : "The owner and admins connect one;"} what you typed stays here.
          </p>
        )}
        {submit.error !== null && (
          <Problem
            error={submit.error}
            fields={["message", ...Object.keys(noOptions)]}
            title="The task was not created"
          />
        )}
        <DialogActions onCancel={closeOverlay}>
          <span className="text-xs text-muted max-sm:hidden">
            <Kbd keys={["Ctrl", "Enter"]} />
          </span>
          {isUnanswered && mayOperate
            ? <Button kind="primary" type="submit">Connect a model</Button>
            : (
              <Button kind="primary" type="submit" disabled={!isReady}>
                {submit.isPending ? "Creating …" : uploads.isBusy ? "Uploading …" : "Create task"}
              </Button>
            )}
        </DialogActions>
      </Form>
    </Modal>
  )
}

export default NewTask
