import { Tabs } from "@base-ui/react/tabs"
import { useQuery } from "@tanstack/react-query"
import type { TaskStep } from "@troupe/client"
import { X } from "lucide-react"
import type { ReactNode } from "react"
import { Button } from "../../parts/Button.tsx"
import { JsonText, JsonView } from "../../parts/JsonView.tsx"
import { Loading } from "../../parts/Loading.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { RichText } from "../../parts/RichText.tsx"
import { durationText, Time } from "../../parts/Time.tsx"
import { stepQuery } from "../../service/StepQueries.ts"
import { StepContext } from "./StepContext.tsx"

const whole = new Intl.NumberFormat("en")

const tabLook = "h-7 rounded-md px-2 text-xs text-muted hover:text-text data-active:bg-raised data-active:text-text"

const Part = ({ children, title }: { readonly title: string; readonly children: ReactNode }) => (
  <section className="mt-3">
    <h3 className="mb-1 text-xs font-medium text-muted">{title}</h3>
    {children}
  </section>
)

const Rendered = ({ step }: { readonly step: TaskStep }) => (
  <>
    <p className="flex flex-wrap gap-x-3 text-muted">
      <Time at={step.at} />
      {step.duration_ms !== null && <span>{durationText(step.duration_ms)}</span>}
      {step.input_tokens !== null && (
        <span>{whole.format(step.input_tokens)} tokens in, {whole.format(step.output_tokens ?? 0)} out</span>
      )}
      {step.cost !== null && <span>${step.cost.toFixed(4)}</span>}
    </p>
    {step.text !== null && step.text !== "" && (
      <Part title="Text">
        <RichText text={step.text} />
      </Part>
    )}
    {step.calls.map(({ arguments: given, id, name }) => (
      <Part key={id} title={`Call of ${name}`}>
        <JsonText text={given} />
      </Part>
    ))}
    {step.results.map(({ content, duration_ms, id, name }) => (
      <Part key={id} title={`Result of ${name} · ${durationText(duration_ms)}`}>
        <JsonText text={content} />
      </Part>
    ))}
  </>
)

/** One step in whole: rendered, as it is stored, and what the model saw. */
export const Inspector = ({ onClose, seq, taskId }: {
  readonly taskId: string
  readonly seq: number
  readonly onClose: () => void
}) => {
  const { data: step, error, refetch } = useQuery(stepQuery(taskId, seq))
  return (
    <section aria-label={`Step ${seq}`} className="flex h-full flex-col overflow-hidden rounded-lg border bg-surface">
      <header className="flex min-h-9 items-center justify-between gap-2 border-b py-1 pr-1 pl-3">
        <h2 className="min-w-0 truncate font-semibold">Step {seq}{step === undefined ? "" : `: ${step.title}`}</h2>
        <Button kind="ghost" size="icon" aria-label="Close the step" onClick={onClose}>
          <X aria-hidden />
        </Button>
      </header>
      {error !== null && (
        <div className="p-3">
          <Problem
            error={error}
            title="The step could not be loaded"
            onRetry={() => void refetch()}
          />
        </div>
      )}
      {step === undefined ?
        error === null && <Loading /> :
        (
          <Tabs.Root defaultValue="rendered" className="flex min-h-0 flex-1 flex-col">
            <Tabs.List className="flex gap-1 px-3 pt-2">
              <Tabs.Tab value="rendered" className={tabLook}>Rendered</Tabs.Tab>
              <Tabs.Tab value="raw" className={tabLook}>Raw</Tabs.Tab>
              {step.kind === "model" && <Tabs.Tab value="context" className={tabLook}>What the model saw</Tabs.Tab>}
            </Tabs.List>
            {(["rendered", "raw", "context"] as const).map((tab) => (
              <Tabs.Panel key={tab} value={tab} tabIndex={0} className="min-h-0 flex-1 overflow-y-auto p-3">
                {tab === "rendered"
                  ? <Rendered step={step} />
                  : tab === "raw"
                  ? <JsonView value={step} />
                  : <StepContext taskId={taskId} seq={seq} />}
              </Tabs.Panel>
            ))}
          </Tabs.Root>
        )}
    </section>
  )
}
