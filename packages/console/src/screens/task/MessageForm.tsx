import type { Task } from "@troupe/client"
import { toast } from "sonner"
import { Button } from "../../parts/Button.tsx"
import { areaLook } from "../../parts/Field.tsx"
import { Form } from "../../parts/Form.tsx"
import { SendHorizontal } from "../../parts/Icons.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useDraft } from "../../service/Drafts.ts"
import { useMessage } from "../../service/TaskQueries.ts"
import { isFinished } from "./TaskState.ts"
import { messageDraft, Unsent } from "./Unsent.tsx"

/** A message for the agent's next model call. What was typed and can no longer be sent stays. */
export const MessageForm = ({ task }: { readonly task: Task }) => {
  const [text, setText] = useDraft(messageDraft(task.id))
  const message = useMessage(task.id, () => setText(""))
  if (isFinished(task) || task.status === "waiting_input") return <Unsent name="message" task={task} />
  const send = () => {
    if (text.trim() === "" || message.isPending) return
    message.mutate(text, {
      onSuccess: () => void toast.success("Message sent", { description: "The next model call includes it." })
    })
  }
  return (
    <Form
      className="flex shrink-0 flex-col gap-2"
      onSubmit={send}
    >
      {message.error !== null && <Problem error={message.error} title="The message was not sent" />}
      <div className="flex items-end gap-2">
        <textarea
          aria-label="Message to the agent"
          placeholder="Tell the agent something while it works"
          rows={1}
          value={text}
          className={areaLook("min-h-8")}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.shiftKey) {
              event.preventDefault()
              send()
            }
          }}
        />
        <Button type="submit" disabled={text.trim() === "" || message.isPending}>
          <SendHorizontal aria-hidden /> Send
        </Button>
      </div>
    </Form>
  )
}
