import { useQuery } from "@tanstack/react-query"
import { Lock } from "../../parts/Icons.ts"
import { Panel } from "../../parts/Panel.tsx"
import { settingListQuery } from "../../service/SettingQueries.ts"
import type { PolicyEditing } from "./PolicyDraft.ts"

const presets = [
  ["quiet", "Quiet", "Asks before a mail to somebody whom nobody has named, and before nothing else."],
  [
    "balanced",
    "Balanced",
    "Also asks before a call that changes something outside, once the agent has read something from outside, and before each call that destroys."
  ],
  [
    "strict",
    "Strict",
    "Asks before every call that changes something outside, whatever the agent has read. Mail has the switch above."
  ]
] as const

/** What decides where no rule does. */
export const Presets = ({ editing: { change, policy }, mayChange }: {
  readonly editing: PolicyEditing
  readonly mayChange: boolean
}) => {
  const settings = useQuery({ ...settingListQuery, enabled: mayChange })
  const isLocked = settings.data?.some(({ locked, name }) => name === "POLICY" && locked) === true
  return (
    <Panel title="Where no rule decides">
      <fieldset className="grid gap-2 sm:grid-cols-3">
        <legend className="sr-only">Preset</legend>
        {presets.map(([name, title, text]) => (
          <label
            key={name}
            className="flex items-start gap-2 rounded-md border p-2 has-checked:border-accent has-checked:bg-accent-soft has-enabled:cursor-pointer"
          >
            <input
              type="radio"
              name="preset"
              className="mt-1 shrink-0"
              checked={policy.preset === name}
              disabled={!mayChange || isLocked}
              onChange={() => change({ preset: name })}
            />
            <span>
              <span className="font-medium">{title}</span>
              <span className="block text-xs text-muted">{text}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {isLocked && (
        <p className="mt-2 flex items-start gap-1.5 text-muted">
          <Lock aria-hidden className="mt-0.5 size-4 shrink-0" />
          POLICY is set in the environment or in .env. To change the preset here, unset it and restart the service.
        </p>
      )}
    </Panel>
  )
}
