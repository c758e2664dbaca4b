import type { Setting } from "@troupe/client"
import { useState } from "react"
import { toast } from "sonner"
import { AskBeforeLeaving } from "../../parts/AskBeforeLeaving.tsx"
import { Button } from "../../parts/Button.tsx"
import { Form } from "../../parts/Form.tsx"
import { fieldError, unplacedError } from "../../parts/Outcome.ts"
import { Panel } from "../../parts/Panel.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useChangeSettings, useTestSettings } from "../../service/SettingQueries.ts"
import { MailTo } from "./MailTo.tsx"
import { SettingField, SourceBadge } from "./SettingField.tsx"
import type { SettingGroup } from "./SettingGroups.ts"
import { SettingList } from "./SettingList.tsx"
import { TestReport } from "./TestReport.tsx"

type Changes = Readonly<Record<string, string | null | undefined>>

/** Settings that are read when the service starts: what they are, and where to change them. */
const AtStart = ({ isAlone, settings }: {
  /** There is nothing else in the group. */
  readonly isAlone: boolean
  readonly settings: ReadonlyArray<Setting>
}) => (
  <details open={isAlone}>
    <summary className="w-fit cursor-pointer text-muted">Need a restart: {settings.length}</summary>
    <p className="py-2 text-muted">
      These change after a restart: set them in the environment of the service, or in its file .env.
    </p>
    <SettingList
      settings={settings}
      valueOf={(setting) => (
        <span className="flex flex-wrap items-center gap-2">
          {setting.value !== null && setting.value !== "" && (
            <code className="font-mono text-xs break-all">{setting.value}</code>
          )}
          <SourceBadge setting={setting} />
        </span>
      )}
    />
  </details>
)

/** A group of settings: what can be changed under way as a form, with its test, and what needs a start. */
export const SettingsForm = ({ group: { settings, test, title } }: { readonly group: SettingGroup }) => {
  const [changes, setChanges] = useState<Changes>({})
  const save = useChangeSettings()
  const trial = useTestSettings()
  const atStart = settings.filter(({ needs }) => needs === "start")
  const changeable = settings.filter(({ needs }) => needs === "nothing")
  const given = Object.fromEntries(
    Object.entries(changes).flatMap(([name, change]) => change === undefined ? [] : [[name, change] as const])
  )
  const isChanged = Object.keys(given).length > 0
  const isBusy = save.isPending || trial.isPending
  const error = save.error ?? trial.error
  const set = (name: string, change: string | null | undefined) => {
    // What was found was about other values.
    trial.reset()
    setChanges((before) => ({ ...before, [name]: change }))
  }
  const discard = () => {
    setChanges({})
    save.reset()
    trial.reset()
  }
  const send = () => {
    if (isBusy || !isChanged) return
    trial.reset()
    save.mutate(given, {
      onSuccess: () => {
        setChanges({})
        toast.success("Saved", { description: "It is in effect in every process within 10 seconds." })
      }
    })
  }
  const tryThem = (mailTo?: string) => {
    if (test === undefined) return
    save.reset()
    trial.mutate({ section: test, values: given, ...(mailTo === undefined ? {} : { mail_to: mailTo }) })
  }
  const unplaced = unplacedError(error, [...changeable.map(({ name }) => name), "mail_to"])
  return (
    <Panel title={title}>
      <AskBeforeLeaving when={isChanged} isKept={false}>
        The settings stay as they were, and what you typed is lost.
      </AskBeforeLeaving>
      <Form className="flex flex-col gap-4" onSubmit={send}>
        {changeable.length > 0 && (
          <div className="grid items-start gap-x-6 gap-y-4 sm:grid-cols-2">
            {changeable.map((setting) => (
              <SettingField
                key={setting.name}
                setting={setting}
                change={changes[setting.name]}
                error={fieldError(error, setting.name)}
                onChange={(change) => set(setting.name, change)}
              />
            ))}
          </div>
        )}
        {test === "smtp" && (
          <div className="grid gap-x-6 sm:grid-cols-2">
            <MailTo isBusy={isBusy} error={fieldError(error, "mail_to")} onSend={tryThem} />
          </div>
        )}
        {trial.data !== undefined && <TestReport report={trial.data} />}
        {error !== null && (unplaced === undefined
          ? <p role="alert" className="text-bad">Nothing was saved or tested. Correct the marked fields.</p>
          : <Problem error={unplaced} title="Nothing was saved or tested" />)}
        {(changeable.length > 0 || test !== undefined) && (
          <div className="flex flex-wrap justify-end gap-2">
            {isChanged && <Button disabled={isBusy} onClick={discard}>Discard</Button>}
            {test !== undefined && (
              <Button disabled={isBusy} onClick={() => tryThem()}>{trial.isPending ? "Testing …" : "Test"}</Button>
            )}
            {changeable.some(({ locked }) => !locked) && (
              <Button kind="primary" type="submit" disabled={isBusy || !isChanged}>
                {save.isPending ? "Saving …" : "Save"}
              </Button>
            )}
          </div>
        )}
        {atStart.length > 0 && <AtStart isAlone={changeable.length === 0} settings={atStart} />}
      </Form>
    </Panel>
  )
}
