import type { Task } from "@troupe/client"
import { Problem } from "../../../parts/Problem.tsx"
import { useAnswer } from "../../../service/TaskQueries.ts"
import { answersInWords } from "../AnswerFields.tsx"
import { ChoiceButtons } from "./ChoiceButtons.tsx"

/** Whether the task waits for a form or a page, which no answer in words can replace. */
export const isAnsweredAbove = (task: Task): boolean =>
  task.status === "waiting_input" && task.question !== null && !answersInWords(task)

/** The end of a thread whose last question has a form or a page: what can be answered beside it. */
export const AnsweredAbove = ({ task }: { readonly task: Task }) => {
  const answer = useAnswer(task, () => {})
  return (
    <div className="shrink-0 px-6 pt-1 pb-4 max-md:px-3 max-md:pb-2">
      <section
        aria-label="Your answer"
        className="mx-auto flex max-w-[45rem] flex-col gap-2 rounded-lg border border-wait/60 bg-surface p-3 shadow-sm"
      >
        <p className="text-muted">
          {task.form === null
            ? "Open the page in the question above, then answer here."
            : "Fill in the form of the question above, or answer here."}
        </p>
        <ChoiceButtons answer={answer} choices={task.choices} />
        {answer.error !== null && <Problem error={answer.error} title="The answer was not accepted" />}
      </section>
    </div>
  )
}
