import type { Task } from "@troupe/client"
import { toast } from "sonner"
import { Button } from "../../parts/Button.tsx"
import { openNewTask } from "../../parts/Overlays.ts"
import { problemText } from "../../parts/Problem.tsx"
import { useDraft } from "../../service/Drafts.ts"
import { useMessage } from "../../service/TaskQueries.ts"
import { isFinished } from "./TaskState.ts"

export const answerDraft = (taskId: string): string => `answer.${taskId}`
export const messageDraft = (taskId: string): string => `message.${taskId}`

/** A text that was typed for a task which no longer takes it in its place, and where it can go instead. */
export const Unsent = ({ name, task }: {
  readonly task: Task
  /** What it was to be: `answer`. */
  readonly name: "answer" | "message"
}) => {
  const [text, setText] = useDraft(name === "answer" ? answerDraft(task.id) : messageDraft(task.id))
  const [continuation, setContinuation] = useDraft(`continue-${task.id}`)
  const message = useMessage(task.id, () => setText(""))
  if (text.trim() === "") return null
  const isOver = isFinished(task)
  const goOn = () => {
    setContinuation(continuation.trim() === "" ? text : `${continuation}\n\n${text}`)
    setText("")
    openNewTask({ continues: task.id })
  }
  const send = () =>
    message.mutate(text, {
      onError: (error) => toast.error("The message was not sent", { description: problemText(error) })
    })
  return (
    <section
      aria-label={`Your ${name} that was not sent`}
      className="flex shrink-0 flex-col gap-2 rounded-md border border-wait/40 bg-wait-soft px-3 py-2"
    >
      <p>
        Your {name} was not sent: {isOver
          ? "the task is finished."
          : task.status === "waiting_input"
          ? "the task asked a question. It is here again after the answer."
          : "the question was answered already."}
      </p>
      <p className="line-clamp-4 break-words whitespace-pre-wrap text-muted">{text}</p>
      <div className="flex flex-wrap justify-end gap-2">
        <Button size="small" onClick={() => setText("")}>Discard it</Button>
        {isOver && <Button size="small" kind="primary" onClick={goOn}>Continue with it</Button>}
        {!isOver && task.status !== "waiting_input" && (
          <Button size="small" kind="primary" disabled={message.isPending} onClick={send}>Send as a message</Button>
        )}
      </div>
    </section>
  )
}
