import { getRouteApi } from "@tanstack/react-router"
import type { Task } from "@troupe/client"
import { Group, Panel, Separator } from "react-resizable-panels"
import { useIsWide } from "../../parts/Media.ts"
import { Inspector } from "./Inspector.tsx"
import { InspectorDialog } from "./InspectorDialog.tsx"
import type { StepAddress } from "./Timeline.ts"
import { Waterfall } from "./Waterfall.tsx"

const route = getRouteApi("/tasks/$taskId")

/** Every step of a task on one scale of time, and the one that is inspected beside them. */
export const StepsView = ({ task }: { readonly task: Task }) => {
  const { of, step } = route.useSearch()
  const navigate = route.useNavigate()
  const isWide = useIsWide()
  const selected = step === undefined ? undefined : { taskId: of ?? task.id, seq: step }
  const select = (next: StepAddress | undefined) => {
    const isSame = next === undefined || (next.seq === selected?.seq && next.taskId === selected.taskId)
    const of = next?.taskId === task.id ? undefined : next?.taskId
    void navigate({
      search: { view: "steps", ...(isSame ? {} : { step: next.seq, ...(of === undefined ? {} : { of }) }) },
      replace: true
    })
  }
  const steps = <Waterfall key={task.id} task={task} selected={selected} onSelect={select} />
  if (selected === undefined) return <div className="h-full p-3">{steps}</div>
  const inspector = <Inspector taskId={selected.taskId} seq={selected.seq} onClose={() => select(undefined)} />
  return isWide
    ? (
      <Group orientation="horizontal" className="h-full p-3">
        <Panel defaultSize="55%" minSize="30%">{steps}</Panel>
        <Separator aria-label="Width of the steps" className="w-3 rounded-sm outline-offset-[-4px]" />
        <Panel minSize="22%">{inspector}</Panel>
      </Group>
    )
    : (
      <div className="h-full p-3">
        {steps}
        <InspectorDialog seq={selected.seq} onClose={() => select(undefined)}>{inspector}</InspectorDialog>
      </div>
    )
}
