import { Tabs } from "@base-ui/react/tabs"
import { useQuery } from "@tanstack/react-query"
import { X } from "lucide-react"
import { Button } from "../../parts/Button.tsx"
import { JsonView } from "../../parts/JsonView.tsx"
import { Loading } from "../../parts/Loading.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { stepQuery } from "../../service/StepQueries.ts"
import { StepContext } from "./StepContext.tsx"
import { stepTitle } from "./StepIcon.tsx"
import { StepTexts } from "./StepTexts.tsx"

const tabLook = "h-7 rounded-md px-2 text-xs text-muted hover:text-text data-active:bg-raised data-active:text-text"

/** One step in whole: rendered, as it is stored, and what the model saw. */
export const Inspector = ({ onClose, seq, taskId }: {
  readonly taskId: string
  readonly seq: number
  readonly onClose: () => void
}) => {
  const { data: step, error, refetch } = useQuery(stepQuery(taskId, seq))
  const context = step?.kind === "model"
    ? "What the model saw"
    : step?.kind === "compacted"
    ? "What the model sees after it"
    : undefined
  return (
    <section aria-label={`Step ${seq}`} className="flex h-full flex-col overflow-hidden rounded-lg border bg-surface">
      <header className="flex min-h-9 items-center justify-between gap-2 border-b py-1 pr-1 pl-3">
        <h2 className="min-w-0 truncate font-semibold">Step {seq}{step === undefined ? "" : `: ${stepTitle(step)}`}</h2>
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
              {context !== undefined && <Tabs.Tab value="context" className={tabLook}>{context}</Tabs.Tab>}
            </Tabs.List>
            {(["rendered", "raw", "context"] as const).map((tab) => (
              <Tabs.Panel
                key={tab}
                value={tab}
                tabIndex={0}
                className="min-h-0 flex-1 overflow-y-auto p-3 outline-offset-[-2px]"
              >
                {tab === "rendered"
                  ? <StepTexts step={step} />
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
