import { useQuery } from "@tanstack/react-query"
import { useRouter } from "@tanstack/react-router"
import type { Task } from "@troupe/client"
import { useRef, useState } from "react"
import { Button } from "../../../parts/Button.tsx"
import { isCut } from "../../../parts/EndedBy.ts"
import { inputLook } from "../../../parts/Field.tsx"
import { FileButton } from "../../../parts/FileButton.tsx"
import { FilesToSend } from "../../../parts/FilesToSend.tsx"
import { Form } from "../../../parts/Form.tsx"
import { Paperclip, SendHorizontal } from "../../../parts/Icons.ts"
import { openConnectModel } from "../../../parts/Overlays.ts"
import { Problem } from "../../../parts/Problem.tsx"
import { UploadList } from "../../../parts/UploadList.tsx"
import { useDraft } from "../../../service/Drafts.ts"
import { useSeenEnd } from "../../../service/InboxQueries.ts"
import { randomKey } from "../../../service/RandomKey.ts"
import { useMayOperate } from "../../../service/Rights.ts"
import { addSent } from "../../../service/Sent.ts"
import { sessionQuery } from "../../../service/SessionQueries.ts"
import { settingListQuery } from "../../../service/SettingQueries.ts"
import { useAnswer, useMessage, useSubmit } from "../../../service/TaskQueries.ts"
import { useUploads } from "../../../service/Uploads.ts"
import { useIsUnanswered } from "../../models/Unanswered.ts"
import { textDraft } from "../AnswerFields.tsx"
import { rowsIn } from "../approvals/ApprovalText.ts"
import { isFinished } from "../TaskState.ts"
import { ChoiceButtons } from "./ChoiceButtons.tsx"
import { continuationOf, moreOf, usualMostCalls } from "./GoOn.ts"

/** What a text does at the end of the thread. */
const modes = {
  answer: {
    label: "Your answer",
    button: "Answer",
    hint: "Answer in your own words",
    failed: "The answer was not accepted"
  },
  steer: {
    label: "Message to the agent",
    button: "Send",
    hint: "Tell the agent something while it works",
    failed: "The message was not sent"
  },
  goOn: {
    label: "Follow-up",
    button: "Send",
    hint: "Ask a question, or for a change",
    failed: "The task was not created"
  }
} as const

const modeOf = (task: Task): keyof typeof modes =>
  isFinished(task)
    ? "goOn"
    : task.status === "waiting_input" && task.question !== null && rowsIn(task).length === 0
    ? "answer"
    : "steer"

/** A message and an answer have no attachments of their own; the agent finds the files by their names. */
const withFiles = (text: string, files: ReadonlyArray<string>): string =>
  files.length === 0 ? text : `${text}\n\nUploaded files: ${files.join(", ")}`.trim()

/** The place to write at the end of a thread: it steers a running task, answers its question, and goes on after its end. */
export const Composer = ({ newest, task }: { readonly task: Task; readonly newest: number }) => {
  const router = useRouter()
  const [text, setText] = useDraft(textDraft(task.id))
  const [fileNames, setFiles] = useDraft(`files.${task.id}`)
  const files = fileNames.split("\n").filter((name) => name !== "")
  const latest = useRef(files)
  latest.current = files
  const uploads = useUploads(({ path }) => {
    latest.current = [...new Set([...latest.current, path])]
    setFiles(latest.current.join("\n"))
  })
  const me = useQuery(sessionQuery).data?.user.id
  // The agent works with the files of the task's creator.
  const mayAttach = isFinished(task) || task.creator === me
  const attach = (files: ReadonlyArray<File>) => mayAttach && uploads.begin(files)
  const clear = () => {
    setText("")
    setFiles("")
  }
  const answer = useAnswer(task, clear)
  const message = useMessage(task.id, clear)
  const submit = useSubmit()
  const markEndSeen = useSeenEnd(task.id)
  // The same request is sent again with the same key, so that it makes one task.
  const key = useRef({ body: "", key: "" })
  const mode = modeOf(task)
  const { button, failed, hint, label } = modes[mode]
  const change = { answer, steer: message, goOn: submit }[mode]
  const mayOperate = useMayOperate() === true
  const mostCalls = useQuery({
    ...settingListQuery,
    enabled: mayOperate && mode === "goOn" && task.ended_by === "limit",
    select: (all) => Number(all.find(({ name }) => name === "AGENT_MAX_ITERATIONS")?.value ?? usualMostCalls)
  }).data
  const stopped = mode === "goOn" ? moreOf(task, mostCalls) : null
  const isCutShort = mode === "goOn" && isCut(task.ended_by)
  const [typed, setTyped] = useState<string>()
  const more = typed ?? String(stopped?.proposed ?? "")
  // A task needs a request; files alone are a message or an answer.
  const isSaid = text.trim() !== "" || (mode !== "goOn" && files.length > 0)
  const isReady = (isSaid || isCutShort) && (stopped === null || /^\d+$/.test(more)) && !change.isPending &&
    !uploads.isBusy

  const isUnanswered = useIsUnanswered(mode === "goOn" ? text : "", task.agent ?? "")
  const open = (id: string) => void router.navigate({ to: "/tasks/$taskId", params: { taskId: id } })
  const goOn = (isWhole: boolean) => {
    const next = continuationOf(task, {
      message: text,
      attachments: files,
      isWhole,
      more: stopped === null ? null : Number(more)
    })
    const body = JSON.stringify(next)
    if (key.current.body !== body) key.current = { body, key: randomKey() }
    submit.mutate({ task: next, idempotencyKey: key.current.key }, {
      onSuccess: ({ id }) => {
        clear()
        markEndSeen()
        open(id)
      }
    })
  }
  const send = () => {
    if (!isReady) return
    const whole = withFiles(text, files)
    if (mode === "answer") answer.mutate(whole)
    else if (mode === "goOn") goOn(false)
    else {
      message.mutate(whole, {
        // A task that ended meanwhile is continued.
        onSuccess: ({ id }) => id === task.id ? addSent(id, whole, newest) : open(id)
      })
    }
  }
  return (
    <div className="shrink-0 px-6 pt-1 pb-4 max-md:px-3 max-md:pb-2">
      <Form
        className={`mx-auto flex max-w-[45rem] flex-col gap-2 rounded-lg border bg-surface p-2 shadow-sm focus-within:border-accent ${
          mode === "answer" ? "border-wait/60" : "border-line-strong/60"
        }`}
        onSubmit={send}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault()
          attach([...event.dataTransfer.files])
        }}
      >
        {mode === "answer" && <ChoiceButtons answer={answer} choices={task.choices} />}
        {stopped !== null && (
          <label className="flex flex-wrap items-center gap-2 px-1.5">
            {task.end_label}. Go on with
            <input
              inputMode="numeric"
              aria-label={`More ${stopped.unit}`}
              value={more}
              className={inputLook(stopped.unit === "model calls" ? "w-14" : "w-24")}
              onChange={({ target }) => setTyped(target.value.trim())}
            />
            more {stopped.unit}, from where it stopped.
          </label>
        )}
        {isUnanswered && (
          <p role="status" className="flex flex-wrap items-center justify-between gap-2 px-1.5">
            No language model is connected, so this would not be understood.
            {mayOperate && <Button size="small" onClick={() => openConnectModel()}>Connect a model</Button>}
          </p>
        )}
        {change.error !== null && <Problem error={change.error} title={failed} />}
        <UploadList uploads={uploads.all} onDismiss={uploads.dismiss} />
        <FilesToSend names={files} onRemove={(name) => setFiles(files.filter((other) => other !== name).join("\n"))} />
        <textarea
          aria-label={label}
          placeholder={hint}
          rows={1}
          value={text}
          className="w-full max-h-[40vh] min-h-8 resize-none field-sizing-content border-none bg-transparent px-1.5 pt-1 outline-none"
          onChange={({ target }) => setText(target.value)}
          onPaste={(event) => {
            const pasted = [...event.clipboardData.files]
            if (pasted.length === 0) return
            event.preventDefault()
            attach(pasted)
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return
            event.preventDefault()
            send()
          }}
        />
        <div className="flex flex-wrap items-center justify-end gap-2">
          {mayAttach && (
            <FileButton
              kind="ghost"
              size="icon"
              className="mr-auto"
              aria-label="Attach files"
              title="Attach files; dropping and pasting them works, too"
              inputLabel="Files to attach"
              onFiles={attach}
            >
              <Paperclip aria-hidden />
            </FileButton>
          )}
          {mode === "goOn" && !isCutShort && isSaid && (
            <Button
              kind="ghost"
              disabled={!isReady}
              title="The agent sees every message of this task, not only the request and the result"
              onClick={() => goOn(true)}
            >
              Go on with the whole conversation
            </Button>
          )}
          <Button kind="primary" type="submit" disabled={!isReady}>
            <SendHorizontal aria-hidden /> {isCutShort ? "Go on" : button}
          </Button>
        </div>
      </Form>
    </div>
  )
}
