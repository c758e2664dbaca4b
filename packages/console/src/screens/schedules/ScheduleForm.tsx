import type { Schedule, ScheduleDraft } from "@troupe/client"
import { useState } from "react"
import { toast } from "sonner"
import { Button } from "../../parts/Button.tsx"
import { Field, Input, inputLook, TextArea } from "../../parts/Field.tsx"
import { Modal } from "../../parts/Modal.tsx"
import { fieldError } from "../../parts/Outcome.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useDraft } from "../../service/Drafts.ts"
import { useChangeSchedule, useCreateSchedule } from "../../service/ScheduleQueries.ts"

type Typed = {
  readonly kind: Schedule["kind"]
  readonly repeats: boolean
  readonly when: string
  readonly timezone: string
  readonly title: string
}

const typedOf = (schedule: Schedule | undefined): Typed =>
  schedule === undefined
    ? {
      kind: "task",
      repeats: true,
      when: "",
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      title: ""
    }
    : {
      kind: schedule.kind,
      repeats: schedule.at === null,
      when: schedule.at ?? schedule.every ?? schedule.cron ?? "",
      timezone: schedule.timezone,
      title: schedule.title
    }

/** Only what differs from before is sent, so that the service plans no run anew without a reason. */
const changesOf = (typed: Typed, message: string, schedule: Schedule | undefined): Partial<ScheduleDraft> => {
  const before = typedOf(schedule)
  const isNew = schedule === undefined
  const hasNewTime = isNew || typed.when !== before.when || typed.repeats !== before.repeats
  return {
    ...(isNew || message !== schedule.message ? { message } : {}),
    ...(isNew || typed.kind !== before.kind ? { kind: typed.kind } : {}),
    ...(hasNewTime ? typed.repeats ? { every: typed.when } : { at: typed.when } : {}),
    ...((isNew || typed.timezone !== before.timezone) && typed.timezone !== "" ? { timezone: typed.timezone } : {}),
    ...(typed.title !== before.title && typed.title !== "" ? { title: typed.title } : {})
  }
}

/** A new schedule, or what changes of one. */
export const ScheduleForm = ({ onClose, schedule }: {
  readonly schedule?: Schedule
  readonly onClose: () => void
}) => {
  const [draft, setDraft] = useDraft(`schedule-${schedule?.id ?? "new"}`)
  const message = draft === "" && schedule !== undefined ? schedule.message : draft
  const [typed, setTyped] = useState(typedOf(schedule))
  const create = useCreateSchedule()
  const change = useChangeSchedule(schedule?.id ?? "")
  const { error, isPending } = schedule === undefined ? create : change
  const send = () => {
    const onSuccess = ({ title }: Schedule) => {
      setDraft("")
      onClose()
      toast.success(schedule === undefined ? "Schedule made" : "Schedule changed", { description: title })
    }
    const changes = changesOf(typed, message, schedule)
    if (schedule === undefined) create.mutate({ ...changes, message }, { onSuccess })
    else change.mutate(changes, { onSuccess })
  }
  const choice = <A extends string>(
    label: string,
    value: A,
    names: Readonly<Record<A, string>>,
    onChoose: (value: string) => void
  ) => (
    <label className="flex flex-col gap-1 font-medium">
      {label}
      <select className={inputLook("font-normal")} value={value} onChange={({ target }) => onChoose(target.value)}>
        {Object.entries<string>(names).map(([key, name]) => <option key={key} value={key}>{name}</option>)}
      </select>
    </label>
  )
  return (
    <Modal isOpen onClose={onClose} title={schedule === undefined ? "New schedule" : "Change the schedule"}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
      >
        <Field
          label={typed.kind === "task" ? "What should the agent do?" : "What should the reminder say?"}
          error={fieldError(error, "message")}
        >
          <TextArea autoFocus rows={4} value={message} onChange={({ target }) => setDraft(target.value)} />
        </Field>
        <div className="grid gap-3 sm:grid-cols-2">
          {choice("It makes", typed.kind, { task: "A task", reminder: "A reminder" }, (kind) =>
            setTyped({ ...typed, kind: kind === "reminder" ? "reminder" : "task" }))}
          {choice("It runs", typed.repeats ? "every" : "at", { every: "Again and again", at: "Once" }, (kind) =>
            setTyped({ ...typed, repeats: kind === "every" }))}
        </div>
        <Field
          label="When"
          hint={typed.repeats
            ? "“every weekday at 9”, “every other week”, “last friday of the month”, or a cron of five fields"
            : "“tomorrow at 9”, “in 2 hours”, or an ISO time"}
          error={fieldError(error, typed.repeats ? "every" : "at")}
        >
          <Input
            value={typed.when}
            onChange={({ target }) =>
              setTyped({ ...typed, when: target.value })}
          />
        </Field>
        <div className="grid gap-3 sm:grid-cols-2">
          <Field label="Time zone" error={fieldError(error, "timezone")}>
            <Input
              value={typed.timezone}
              onChange={({ target }) =>
                setTyped({ ...typed, timezone: target.value.trim() })}
            />
          </Field>
          <Field label="Title" hint="Empty: taken from the text" error={fieldError(error, "title")}>
            <Input
              value={typed.title}
              onChange={({ target }) =>
                setTyped({ ...typed, title: target.value })}
            />
          </Field>
        </div>
        {error !== null && <Problem error={error} title="The schedule was not saved" />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            type="submit"
            disabled={message.trim() === "" || typed.when.trim() === "" || isPending}
          >
            {schedule === undefined ? "Make the schedule" : "Save"}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
