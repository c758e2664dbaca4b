import type { Approval, Task } from "@troupe/client"
import { agrees, type PastApproval } from "@troupe/client/EqualApprovals"
import { Checkbox } from "../../../parts/Checkbox.tsx"
import { inputLook } from "../../../parts/Field.tsx"
import { plural } from "../../../parts/Plural.ts"
import { toggled } from "../../../parts/Toggled.ts"
import { useProjectName } from "../../../service/ProjectNames.ts"
import { useNameOf } from "../../../service/UserNames.ts"
import { visibleSigns } from "./ApprovalText.ts"

/** What an approval lets pass later: nothing without a scope; only with equal values of the arguments `same`. */
export interface Remembered {
  readonly scope: "" | "task" | "schedule" | "agent"
  readonly same: ReadonlyArray<string>
}

export const nothing: Remembered = { scope: "", same: [] }

export const pointerTo = (name: string): string => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`

const isScope = (value: string): value is Remembered["scope"] => ["", "task", "schedule", "agent"].includes(value)

/** Offers only what the service accepts for the call, and says how often it would have been of use. */
export const Remember = ({ approval, chosen, onChange, past, task }: {
  readonly approval: Approval
  /** The last calls of the tool that were decided. */
  readonly past: ReadonlyArray<PastApproval & Pick<Approval, "task_id">>
  readonly task: Task
  readonly chosen: Remembered
  readonly onChange: (next: Remembered) => void
}) => {
  const nameOf = useNameOf()
  const projectName = useProjectName()
  const { arguments: given, tool } = approval
  const same = Object.keys(given).filter((name) => chosen.same.includes(pointerTo(name)))
  const inScope = past.filter(({ task_id }) => chosen.scope !== "task" || task_id === task.id)
  const covered = inScope.filter((call) => agrees(same, given, call)).length
  return (
    <div className="flex flex-col gap-1.5">
      <label className="flex flex-wrap items-center gap-2">
        Later calls of {visibleSigns(tool)}
        <select
          className={inputLook("max-w-full")}
          value={chosen.scope}
          onChange={({ target }) => isScope(target.value) && onChange({ ...chosen, scope: target.value })}
        >
          <option value="">ask again</option>
          <option value="task">are approved in this task</option>
          {task.schedule_id !== null && <option value="schedule">are approved in all runs of this schedule</option>}
          <option value="agent">
            {task.agent === null
              ? `are approved in all tasks by ${nameOf(task.creator).replace(/^You$/, "you")}${
                task.project_id === null ? " without a project" : ` of the project ${projectName(task.project_id)}`
              }`
              : `are approved in all tasks of the agent ${task.agent}`}
          </option>
        </select>
      </label>
      {chosen.scope !== "" && Object.keys(given).length > 0 && (
        <fieldset className="flex flex-wrap gap-x-4 gap-y-1">
          <legend className="text-xs text-muted">Only with the same</legend>
          {Object.keys(given).map((name) => {
            const pointer = pointerTo(name)
            return (
              <Checkbox
                key={name}
                isChecked={chosen.same.includes(pointer)}
                onChange={(isChecked) =>
                  onChange({
                    ...chosen,
                    same: toggled(chosen.same, pointer, isChecked)
                  })}
              >
                {visibleSigns(name)}
              </Checkbox>
            )
          })}
        </fieldset>
      )}
      {chosen.scope !== "" && (
        <p className="text-xs text-muted">
          {inScope.length === 0
            ? "No call of it was decided before."
            : `It would have covered ${covered} of the last ${plural(inScope.length, "call")} of it that were decided.`}
        </p>
      )}
    </div>
  )
}
