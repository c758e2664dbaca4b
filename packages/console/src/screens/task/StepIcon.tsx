import type { TaskStep } from "@troupe/client"
import { isCut } from "../../parts/EndedBy.ts"
import {
  Ban,
  BookOpen,
  Bot,
  CircleAlert,
  CornerDownRight,
  Gauge,
  GitFork,
  type Icon,
  Loader,
  MessageSquare,
  Play,
  RotateCcw,
  Shrink,
  Wrench
} from "../../parts/Icons.ts"

const stepIcons: Readonly<Record<TaskStep["kind"], Icon>> = {
  woken: Play,
  prepared: BookOpen,
  model: Bot,
  started: Wrench,
  dispatched: GitFork,
  results: CornerDownRight,
  compacted: Shrink,
  forced: Gauge,
  steered: MessageSquare,
  answered: MessageSquare,
  cancelled: Ban,
  retried: RotateCcw,
  crashed: CircleAlert,
  model_failed: CircleAlert,
  interrupted: Ban,
  progressed: Loader,
  failed: CircleAlert
}

/** The kind of a step, as decoration beside its title. */
export const StepIcon = ({ isBad = false, step: { ended_by, kind } }: {
  readonly step: Pick<TaskStep, "ended_by" | "kind">
  readonly isBad?: boolean
}) => {
  const isStop = isCut(ended_by)
  const Icon = isStop ? Gauge : stepIcons[kind]
  return <Icon aria-hidden className={`size-4 shrink-0 ${isBad ? "text-bad" : isStop ? "text-wait" : "text-muted"}`} />
}

/** What happened in one line; of a model call, the tools that it asked for, of a dispatch, all agents. */
export const stepTitle = ({ calls, ended_by, kind, subtasks, title }: TaskStep): string =>
  isCut(ended_by)
    ? title
    : subtasks.length > 1
    ? `Dispatched ${subtasks.length} subagents: ${subtasks.map(({ agent_type }) => agent_type).join(", ")}`
    : kind === "model" && calls.length > 0
    ? `The model called ${[...new Set(calls.map(({ name }) => name))].join(", ")}${
      calls.length > 1 ? ` (${calls.length} calls)` : ""
    }`
    : title
