import { useQuery } from "@tanstack/react-query"
import type { Schedule, ScheduleDraft } from "@troupe/client"
import { toast } from "sonner"
import { Button } from "../../parts/Button.tsx"
import { Checkbox } from "../../parts/Checkbox.tsx"
import { DialogActions } from "../../parts/DialogActions.tsx"
import { Field, Input, inputLook, TextArea } from "../../parts/Field.tsx"
import { Form } from "../../parts/Form.tsx"
import { Modal } from "../../parts/Modal.tsx"
import { fieldError } from "../../parts/Outcome.ts"
import { Problem } from "../../parts/Problem.tsx"
import { agentsQuery } from "../../service/AgentQueries.ts"
import { useDraftFields } from "../../service/Drafts.ts"
import { useChangeSchedule, useCreateSchedule } from "../../service/ScheduleQueries.ts"
import { NextRuns, useNextRuns } from "./NextRuns.tsx"

/** `repeats` is `every` or `at`. */
const typedOf = (schedule: Schedule | undefined) => ({
  message: schedule?.message ?? "",
  kind: schedule?.kind ?? "task",
  repeats: schedule === undefined || schedule.at === null ? "every" : "at",
  when: schedule?.at ?? schedule?.every ?? schedule?.cron ?? "",
  timezone: schedule?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  title: schedule?.title ?? "",
  agent: schedule?.agent ?? "",
  expects: schedule?.expects ?? "",
  maxCost: schedule?.max_cost?.toString() ?? ""
})

const kindOf = (text: string): Schedule["kind"] => text === "reminder" ? "reminder" : "task"

/** Only what differs from before is sent, so that the service plans no run anew without a reason. */
const changesOf = (typed: ReturnType<typeof typedOf>, schedule: Schedule | undefined): Partial<ScheduleDraft> => {
  const before = typedOf(schedule)
  const isNew = schedule === undefined
  const hasNewTime = isNew || typed.when !== before.when || typed.repeats !== before.repeats
  return {
    ...(isNew || typed.message !== before.message ? { message: typed.message } : {}),
    ...(isNew || typed.kind !== before.kind ? { kind: kindOf(typed.kind) } : {}),
    ...(hasNewTime ? typed.repeats === "every" ? { every: typed.when } : { at: typed.when } : {}),
    ...((isNew || typed.timezone !== before.timezone) && typed.timezone !== "" ? { timezone: typed.timezone } : {}),
    ...(typed.agent !== before.agent ? { agent: typed.agent === "" ? null : typed.agent } : {}),
    ...(typed.expects !== before.expects ? { expects: typed.expects === "output" ? "output" : null } : {}),
    ...(typed.maxCost !== before.maxCost ? { max_cost: typed.maxCost === "" ? null : Number(typed.maxCost) } : {}),
    ...(typed.title !== before.title && typed.title !== "" ? { title: typed.title } : {})
  }
}

/** A new schedule, or what changes of one. */
export const ScheduleForm = ({ onClose, schedule }: {
  readonly schedule?: Schedule
  readonly onClose: () => void
}) => {
  const { clear, fields: typed, set } = useDraftFields(`schedule-${schedule?.id ?? "new"}`, typedOf(schedule))
  const { message, repeats } = typed
  const agents = useQuery(agentsQuery)
  const create = useCreateSchedule()
  const change = useChangeSchedule(schedule?.id ?? "")
  const { faultAt, preview } = useNextRuns({
    ...(repeats === "every" ? { every: typed.when } : { at: typed.when }),
    ...(typed.timezone === "" ? {} : { timezone: typed.timezone })
  })
  const { error, isPending } = schedule === undefined ? create : change
  const send = () => {
    const onSuccess = ({ title }: Schedule) => {
      clear()
      onClose()
      toast.success(schedule === undefined ? "Schedule created" : "Schedule changed", { description: title })
    }
    const changes = changesOf(typed, schedule)
    if (schedule === undefined) create.mutate({ ...changes, message }, { onSuccess })
    else change.mutate(changes, { onSuccess })
  }
  const discard = () => {
    // What is stored is shown again, and not what was typed.
    if (schedule !== undefined) clear()
    onClose()
  }
  const choice = (label: string, field: "kind" | "repeats", names: Readonly<Record<string, string>>) => (
    <label className="flex flex-col gap-1 font-medium">
      {label}
      <select
        className={inputLook("w-full font-normal")}
        value={typed[field]}
        onChange={({ target }) => set({ [field]: target.value })}
      >
        {Object.entries(names).map(([key, name]) => <option key={key} value={key}>{name}</option>)}
      </select>
    </label>
  )
  return (
    <Modal isOpen onClose={onClose} title={schedule === undefined ? "New schedule" : "Change the schedule"}>
      <Form
        className="flex flex-col gap-4"
        onSubmit={send}
      >
        <Field
          label={typed.kind === "task" ? "What should the agent do?" : "What should the reminder say?"}
          error={fieldError(error, "message")}
        >
          <TextArea autoFocus rows={4} value={message} onChange={({ target }) => set({ message: target.value })} />
        </Field>
        <div className="grid gap-3 sm:grid-cols-2">
          {choice("Creates", "kind", { task: "A task", reminder: "A reminder" })}
          {choice("Runs", "repeats", { every: "Repeatedly", at: "Once" })}
        </div>
        <Field
          label="When"
          hint={repeats === "every"
            ? "“every weekday at 9”, “every other week”, “last Friday of the month”, or a cron of five fields"
            : "“tomorrow at 9”, “in 2 hours”, or an ISO time"}
          error={faultAt(repeats) ?? fieldError(error, repeats)}
        >
          <Input
            value={typed.when}
            onChange={({ target }) => set({ when: target.value })}
          />
        </Field>
        <NextRuns preview={preview} />
        <div className="grid gap-3 sm:grid-cols-2">
          <Field label="Time zone" error={faultAt("timezone") ?? fieldError(error, "timezone")}>
            <Input
              value={typed.timezone}
              onChange={({ target }) => set({ timezone: target.value.trim() })}
            />
          </Field>
          <Field label="Title" hint="Leave empty to use the beginning of the text" error={fieldError(error, "title")}>
            <Input
              value={typed.title}
              onChange={({ target }) => set({ title: target.value })}
            />
          </Field>
        </div>
        {typed.kind === "task" && (
          <>
            <div className="grid gap-3 sm:grid-cols-2">
              <Field label="Agent" hint="Leave empty for no specific agent" error={fieldError(error, "agent")}>
                <Input
                  value={typed.agent}
                  list="schedule-agents"
                  onChange={({ target }) => set({ agent: target.value.trim() })}
                />
              </Field>
              <Field label="Cost limit of a run" hint="Leave empty for no limit" error={fieldError(error, "max_cost")}>
                <Input
                  inputMode="decimal"
                  value={typed.maxCost}
                  onChange={({ target }) => set({ maxCost: target.value.trim() })}
                />
              </Field>
            </div>
            <Checkbox
              isChecked={typed.expects === "output"}
              onChange={(isChecked) => set({ expects: isChecked ? "output" : "" })}
            >
              Each run must bring something new: an empty or unchanged result counts as failed
            </Checkbox>
          </>
        )}
        <datalist id="schedule-agents">
          {agents.data?.map(({ name }) => <option key={name} value={name} />)}
        </datalist>
        {error !== null && (
          <Problem
            error={error}
            fields={["message", "every", "at", "timezone", "title", "agent", "max_cost"]}
            title="The schedule was not saved"
          />
        )}
        <DialogActions onCancel={discard}>
          <Button
            kind="primary"
            type="submit"
            disabled={message.trim() === "" || typed.when.trim() === "" || isPending}
          >
            {schedule === undefined ? "Create schedule" : "Save"}
          </Button>
        </DialogActions>
      </Form>
    </Modal>
  )
}
