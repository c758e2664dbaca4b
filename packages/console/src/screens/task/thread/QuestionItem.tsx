import type { Task } from "@troupe/client"
import { CircleCheck, CircleHelp, CircleMinus } from "../../../parts/Icons.ts"
import { RichText } from "../../../parts/RichText.tsx"
import { Time } from "../../../parts/Time.tsx"
import { ApprovalRows } from "../approvals/ApprovalRows.tsx"
import { isMail } from "../approvals/ApprovalText.ts"
import { DecidedRow } from "../approvals/DecidedRow.tsx"
import { WhyAsked } from "../approvals/WhyAsked.tsx"
import { QuestionFields, QuestionPage } from "../form/QuestionFields.tsx"
import { useWholeQuestion } from "../WholeQuestion.ts"
import { Doer } from "./Doer.tsx"
import type { ThreadItem } from "./ThreadItem.ts"
import { WholeStep } from "./WholeStep.tsx"

type Item = Extract<ThreadItem, { _tag: "question" }>

/** The question of a task that waits for its answer, with the whole of a mail that is to be approved. */
const WholeText = ({ item, task }: { readonly item: Item; readonly task: Task }) => {
  const { isWhole, question } = useWholeQuestion(task)
  return (
    <>
      <RichText text={question} />
      {!isWhole && <WholeStep of={item} />}
    </>
  )
}

/** A question with who decided it and by which way. */
export const QuestionItem = ({ item, task }: { readonly item: Item; readonly task: Task | undefined }) => {
  const { answer, answeredAt, approvals, at, by, isCut, isOpen, text } = item
  // The question of one mail is the mail itself.
  const mail = approvals.length === 1 ? approvals.find(isMail) : undefined
  const hasRows = approvals.length > 0 && mail === undefined
  const isShort = answer !== null && answer.length < 80 && !answer.includes("\n")
  return (
    <section
      aria-label={isOpen ? "Open question" : "Question"}
      className={`rounded-lg border px-4 py-3 ${isOpen ? "border-wait/50 bg-wait-soft" : "bg-surface"}`}
    >
      <p className="mb-1.5 flex items-center gap-1.5 text-xs text-muted">
        <CircleHelp aria-hidden className={`size-4 ${isOpen ? "text-wait" : ""}`} />
        {isOpen ? "Waits for an answer" : "Question"} · <Time at={at} />
      </p>
      {hasRows && task !== undefined && <ApprovalRows rows={approvals} task={task} />}
      {hasRows && task === undefined && (
        <div className="flex flex-col gap-2">{approvals.map((row) => <DecidedRow key={row.id} approval={row} />)}</div>
      )}
      {!hasRows && (
        <div className="[&_pre]:break-words [&_pre]:whitespace-pre-wrap">
          {isOpen && task !== undefined ? <WholeText item={item} task={task} /> : <RichText text={text} />}
          {mail !== undefined && isOpen && (mail.outside_since ?? mail.private_since) !== null && (
            <WhyAsked approval={mail} />
          )}
          {isOpen && task !== undefined && task.url !== null && <QuestionPage url={task.url} />}
          {isOpen && task !== undefined && task.form !== null && (
            <QuestionFields key={task.last_tool_call_id} form={task.form} task={task} />
          )}
        </div>
      )}
      {!hasRows && !isOpen && isCut && <WholeStep of={item} />}
      {!hasRows && !isOpen && (
        <div className="mt-2.5 border-t pt-2">
          {answer !== null && (isShort
            ? <p className="font-medium break-words">{answer}</p>
            : <RichText isTyped text={answer} />)}
          <p className="mt-0.5 flex items-center gap-1.5 text-xs text-muted">
            {answeredAt === null
              ? (
                <>
                  <CircleMinus aria-hidden className="size-3.5" /> Not answered
                </>
              )
              : (
                <>
                  <CircleCheck aria-hidden className="size-3.5" />
                  <span>
                    <Doer by={by} did={item.decision ?? "answered"} at={answeredAt} />
                  </span>
                </>
              )}
          </p>
        </div>
      )}
    </section>
  )
}
