import { Link } from "@tanstack/react-router"
import { type Task, TroupeError } from "@troupe/client"
import { toast } from "sonner"
import { Button } from "../../parts/Button.tsx"
import { Field, TextArea } from "../../parts/Field.tsx"
import { Form } from "../../parts/Form.tsx"
import { Kbd } from "../../parts/Kbd.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { RichText } from "../../parts/RichText.tsx"
import { useDraft } from "../../service/Drafts.ts"
import { useAnswer } from "../../service/TaskQueries.ts"
import { useApprovalKeys } from "./approvals/ApprovalKeys.ts"
import { ApprovalRows } from "./approvals/ApprovalRows.tsx"
import { isOpen, rowsIn } from "./approvals/ApprovalText.ts"
import { WhyAsked } from "./approvals/WhyAsked.tsx"
import { useChoiceKeys } from "./ChoiceKeys.ts"
import { QuestionFields, QuestionPage } from "./form/QuestionFields.tsx"
import { useWholeQuestion } from "./WholeQuestion.ts"

/** Questions of tool servers are answered by their form or page, and by their choices. */
export const answersInWords = ({ form, url }: Task): boolean => form === null && url === null

/** What is typed for a task: an answer, a message or a follow-up. */
export const textDraft = (taskId: string): string => `answer.${taskId}`

/** The question of a task and its answer, which survives a reload until it is sent. */
export const AnswerFields = ({ hasKeys = false, task }: {
  readonly task: Task
  /** Whether its digit chooses an answer. */
  readonly hasKeys?: boolean
}) => {
  const [text, setText] = useDraft(textDraft(task.id))
  const { isWhole, question } = useWholeQuestion(task)
  const answer = useAnswer(task, () => setText(""))
  const send = (value: string) => {
    if (value.trim() === "" || answer.isPending) return
    void answer.mutateAsync(value).catch((error: unknown) => {
      // Somebody else has answered, so the question is about to leave the page.
      if (error instanceof TroupeError && error.status === 409) {
        toast.error("The answer was not accepted", { description: "The screen of the task keeps your text." })
      }
    })
  }
  const rows = rowsIn(task)
  const isAboutRows = rows.length > 0
  const hasChoiceKeys = hasKeys && isWhole && !isAboutRows
  useChoiceKeys(hasChoiceKeys ? task.choices : [], send)
  const mail = isAboutRows ? undefined : task.approvals.find(isOpen)
  const [yes, no] = task.choices
  useApprovalKeys(
    hasChoiceKeys && mail !== undefined && yes !== undefined && no !== undefined
      ? { a: () => send(yes), d: () => send(no) }
      : {}
  )
  return (
    <>
      {isAboutRows && <ApprovalRows hasKeys={hasKeys} rows={rows} task={task} />}
      {!isAboutRows && (
        <div className="[&_pre]:break-words [&_pre]:whitespace-pre-wrap">
          <RichText text={question} />
          {mail !== undefined && <WhyAsked approval={mail} />}
        </div>
      )}
      {!isAboutRows && !isWhole && (
        <p className="mt-2 text-wait">
          The rest of the text is in the{" "}
          <Link to="/tasks/$taskId" params={{ taskId: task.id }} className="underline">steps of the task</Link>.
        </p>
      )}
      {task.url !== null && <QuestionPage url={task.url} />}
      {task.form !== null && <QuestionFields key={task.last_tool_call_id} form={task.form} task={task} />}
      {!isAboutRows && task.choices.length > 0 && (
        <div className="mt-3 flex flex-wrap gap-2">
          {task.choices.map((choice, index) => (
            <Button
              key={choice}
              disabled={answer.isPending}
              onClick={() => send(choice)}
            >
              {choice}
              {hasKeys && isWhole && index < 9 && (
                <span aria-hidden>
                  <Kbd keys={[String(index + 1)]} />
                </span>
              )}
            </Button>
          ))}
        </div>
      )}
      {answersInWords(task) && (
        <Form
          className="mt-3 flex flex-col gap-2"
          onSubmit={() => send(text)}
        >
          <Field label={isAboutRows ? "Message to the agent" : "Your answer"}>
            <TextArea
              rows={3}
              value={text}
              onChange={({ target }) => setText(target.value)}
              onKeyDown={(event) => {
                if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send(text)
              }}
            />
          </Field>
          {answer.error !== null && (
            <Problem
              error={answer.error}
              title={isAboutRows ? "The message was not sent" : "The answer was not accepted"}
            />
          )}
          <div className="flex justify-end">
            <Button kind="primary" type="submit" disabled={text.trim() === "" || answer.isPending}>
              {isAboutRows ? "Send" : "Answer"}
            </Button>
          </div>
        </Form>
      )}
      {!answersInWords(task) && answer.error !== null && (
        <Problem error={answer.error} title="The answer was not accepted" />
      )}
    </>
  )
}
