import type { TaskStep } from "@troupe/client"
import type { ReactNode } from "react"
import { Badge } from "../../parts/Badge.tsx"
import { JsonText } from "../../parts/JsonView.tsx"
import { moneyText, numberText } from "../../parts/Numbers.ts"
import { RichText } from "../../parts/RichText.tsx"
import { durationText, Time } from "../../parts/Time.tsx"

const Part = ({ children, note, title }: {
  readonly title: string
  readonly note?: ReactNode
  readonly children: ReactNode
}) => (
  <section className="mt-3">
    <h3 className="mb-1 flex flex-wrap items-center gap-2 text-xs font-medium text-muted">{title}{note}</h3>
    {children}
  </section>
)

/** The last line of a result that the service has shortened. */
const cut = /\n\n\[(Truncated: [^\]]*)\]\s*$/

const textTitles: Partial<Readonly<Record<TaskStep["kind"], string>>> = {
  compacted: "Summary that replaced older messages",
  prepared: "Work steps",
  steered: "Message",
  results: "Question or note",
  forced: "Answer",
  crashed: "Reason",
  model_failed: "Reason",
  failed: "Reason",
  cancelled: "Reason"
}

const Result = ({ result: { content, duration_ms, name } }: { readonly result: TaskStep["results"][number] }) => {
  const [, note] = cut.exec(content) ?? []
  const isError = content.startsWith("Error:")
  return (
    <Part
      title={`Result of ${name} · ${durationText(duration_ms)}`}
      note={
        <>
          {isError && <Badge tone="bad">Error</Badge>}
          {note !== undefined && <Badge tone="wait">Truncated</Badge>}
        </>
      }
    >
      <JsonText text={note === undefined ? content : content.replace(cut, "")} />
      {note !== undefined && <p className="mt-1 text-xs text-wait">{note} The model saw this much, too.</p>}
    </Part>
  )
}

/** The texts of a step, its calls and their results. */
export const StepTexts = ({ step }: { readonly step: TaskStep }) => (
  <>
    <p className="flex flex-wrap gap-x-3 text-muted">
      <Time at={step.at} />
      {step.duration_ms !== null && <span>{durationText(step.duration_ms)}</span>}
      {step.input_tokens !== null && (
        <span>
          {step.kind === "interrupted" && "about "}
          {numberText(step.input_tokens)} tokens in, {numberText(step.output_tokens ?? 0)} out
        </span>
      )}
      {step.cost !== null && <span>{moneyText(step.cost)}</span>}
      {step.until !== null && (
        <span>
          continues <Time at={step.until} />
        </span>
      )}
    </p>
    {step.thinking !== null && (
      <Part title="Thinking">
        <RichText text={step.thinking} />
      </Part>
    )}
    {step.text !== null && step.text !== "" && (
      <Part title={textTitles[step.kind] ?? "Text"}>
        <RichText isTyped={step.kind === "answered" || step.kind === "steered"} text={step.text} />
      </Part>
    )}
    {step.calls.map(({ arguments: given, id, name }) => (
      <Part key={id} title={`Call of ${name}`}>
        <JsonText text={given} />
      </Part>
    ))}
    {step.results.map((result) => <Result key={result.id} result={result} />)}
  </>
)
