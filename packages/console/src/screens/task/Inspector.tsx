import { Tabs } from "@base-ui/react/tabs"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { Button } from "../../parts/Button.tsx"
import { X } from "../../parts/Icons.ts"
import { JsonView } from "../../parts/JsonView.tsx"
import { Loaded } from "../../parts/Loaded.tsx"
import { textTabLook } from "../../parts/TabLook.ts"
import { stepQuery } from "../../service/StepQueries.ts"
import { StepContext } from "./StepContext.tsx"
import { stepTitle } from "./StepIcon.tsx"
import { StepTexts } from "./StepTexts.tsx"

const tabs = ["rendered", "raw", "context"] as const

type Tab = (typeof tabs)[number]

/** One step in whole: rendered, as it is stored, and what the model saw. */
export const Inspector = ({ onClose, seq, taskId }: {
  readonly taskId: string
  readonly seq: number
  readonly onClose: () => void
}) => {
  const query = useQuery(stepQuery(taskId, seq))
  const step = query.data
  // The choice stays from step to step.
  const [tab, setTab] = useState<Tab>("rendered")
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
      <Loaded errorLook="p-3" name="step" query={query}>
        {(step) => (
          <Tabs.Root
            key={`${taskId}.${seq}`}
            value={tab === "context" && context === undefined ? "rendered" : tab}
            onValueChange={(next: Tab) => setTab(next)}
            className="flex min-h-0 flex-1 flex-col"
          >
            <Tabs.List className="flex gap-1 px-3 pt-2">
              <Tabs.Tab value="rendered" className={textTabLook}>Rendered</Tabs.Tab>
              <Tabs.Tab value="raw" className={textTabLook}>Raw</Tabs.Tab>
              {context !== undefined && <Tabs.Tab value="context" className={textTabLook}>{context}</Tabs.Tab>}
            </Tabs.List>
            {tabs.map((tab) => (
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
                  : <StepContext taskId={taskId} seq={seq} isAfter={step.kind === "compacted"} />}
              </Tabs.Panel>
            ))}
          </Tabs.Root>
        )}
      </Loaded>
    </section>
  )
}
