import { Link } from "@tanstack/react-router"
import type { PolicyTestReport } from "@troupe/client"
import { useState } from "react"
import { Button } from "../../parts/Button.tsx"
import { inputLook } from "../../parts/Field.tsx"
import { numberText } from "../../parts/Numbers.ts"
import { Panel } from "../../parts/Panel.tsx"
import { plural } from "../../parts/Plural.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useTestPolicy } from "../../service/PolicyQueries.ts"
import { SystemTable } from "../system/SystemTable.tsx"
import type { Draft } from "./PolicyContent.ts"
import { EffectBadge } from "./Rules.tsx"

const shownAtOnce = 25

const Result = ({ allowed, asked, calls, changed, denied, left_out, tasks }: PolicyTestReport) => {
  const [shown, setShown] = useState(shownAtOnce)
  return (
    <div className="mt-3 flex flex-col gap-3">
      <p role="status">
        Of {plural(calls, "call", numberText)} of {plural(tasks, "task", numberText)}, these rules allow{" "}
        <b>{numberText(allowed)}</b>, ask about <b>{numberText(asked)}</b> and deny <b>{numberText(denied)}</b>.{" "}
        {changed.length === 0
          ? "Each is decided as it was."
          : `${plural(changed.length, "call", numberText)} would have been decided otherwise.`}
      </p>
      {changed.length > 0 && (
        <div className="px-3 pt-3">
          <SystemTable
            label="Calls that would have been decided otherwise"
            headings={["Call of", "Was", "Would be", "By", "Task"]}
            rows={changed.slice(0, shown).map(({ after, before, rule, task_id, tool, tool_call_id }) => ({
              key: `${task_id} ${tool_call_id}`,
              cells: [
                <span className="font-mono text-xs break-all">{tool}</span>,
                <EffectBadge effect={before} />,
                <EffectBadge effect={after} />,
                rule === null ? "the preset" : `rule ${rule + 1}`,
                <Link
                  to="/tasks/$taskId"
                  params={{ taskId: task_id }}
                  className="whitespace-nowrap text-accent underline"
                >
                  Task {task_id.slice(-8)}
                </Link>
              ]
            }))}
          />
        </div>
      )}
      {changed.length > shown && (
        <Button className="self-center" onClick={() => setShown(shown + 4 * shownAtOnce)}>Show more</Button>
      )}
      {left_out !== null && <p className="text-wait">{left_out}</p>}
    </div>
  )
}

/** What these rules would have decided about the calls of past tasks. */
export const BackTest = ({ isChanged, policy: { classes, preset, rules } }: {
  readonly policy: Draft
  readonly isChanged: boolean
}) => {
  const [days, setDays] = useState(30)
  const test = useTestPolicy()
  const tested = JSON.stringify([classes, preset, rules])
  const [of, setOf] = useState<string>()
  const run = () => {
    setOf(tested)
    test.mutate({ classes, preset, rules, days })
  }
  return (
    <Panel title="What these rules would have decided">
      <div className="flex flex-wrap items-center gap-2">
        <label className="flex items-center gap-2">
          About the calls of the last
          <select
            className={inputLook("w-auto")}
            value={days}
            onChange={({ target }) => setDays(Number(target.value))}
          >
            {[1, 7, 30, 90, 365].map((count) => <option key={count} value={count}>{plural(count, "day")}</option>)}
          </select>
        </label>
        <Button disabled={test.isPending} onClick={run}>
          {test.isPending ? "Reading past calls …" : isChanged ? "Test the changed rules" : "Test the rules"}
        </Button>
      </div>
      <p className="mt-2 text-xs text-muted">
        This reads past tasks and changes nothing. It does not simulate what an agent would have done after another
        decision.
      </p>
      {test.error !== null && <Problem error={test.error} title="The rules could not be tested" />}
      {test.data !== undefined && (
        of === tested
          ? <Result key={JSON.stringify(test.data)} {...test.data} />
          : <p className="mt-3 text-muted">The rules were changed since the last test.</p>
      )}
    </Panel>
  )
}
