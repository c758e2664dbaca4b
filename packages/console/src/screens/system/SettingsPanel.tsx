import { useQuery } from "@tanstack/react-query"
import type { SettingInEffect } from "@troupe/client"
import { useState } from "react"
import { Badge } from "../../parts/Badge.tsx"
import { Checkbox } from "../../parts/Checkbox.tsx"
import { inputLook } from "../../parts/Field.tsx"
import { Loaded } from "../../parts/Loaded.tsx"
import { Panel } from "../../parts/Panel.tsx"
import { settingsQuery } from "../../service/SystemQueries.ts"
import { SettingList } from "../settings/SettingList.tsx"

const Value = ({ setting: { is_secret, is_set, value } }: { readonly setting: SettingInEffect }) =>
  is_secret
    ? <Badge tone={is_set ? "good" : "muted"}>{is_set ? "Secret is set" : "Secret is not set"}</Badge>
    : value === null || value === ""
    ? <span className="text-muted">Not set</span>
    : (
      <>
        <code className="font-mono text-xs break-all">{value}</code>
        {!is_set && <span className="ml-2 text-xs text-muted">default</span>}
      </>
    )

/** The settings of the process that answers, those that are set first of all. */
export const SettingsPanel = () => {
  const query = useQuery(settingsQuery)
  const [words, setWords] = useState("")
  const [all, setAll] = useState(false)
  const wanted = words.trim().toLowerCase()
  const isShown = ({ description, is_set, name }: SettingInEffect) =>
    wanted === "" ? all || is_set : `${name} ${description}`.toLowerCase().includes(wanted)
  const sections = (query.data ?? [])
    .map(({ settings, title }) => ({ title, settings: settings.filter(isShown) }))
    .filter(({ settings }) => settings.length > 0)
  return (
    <Panel
      title="Settings in effect"
      actions={
        <span className="flex flex-wrap items-center justify-end gap-x-3 gap-y-1">
          <Checkbox isChecked={all} onChange={setAll}>Show all settings, including defaults</Checkbox>
          <input
            type="search"
            aria-label="Find a setting"
            placeholder="Find a setting"
            className={inputLook("w-44")}
            value={words}
            onChange={({ target }) => setWords(target.value)}
          />
        </span>
      }
    >
      <Loaded name="settings" query={query}>
        {() =>
          sections.length === 0 && (
            <p className="text-muted">
              {wanted === "" ? "Nothing is set: everything has its default." : "No setting has these words."}
            </p>
          )}
      </Loaded>
      <div className="flex flex-col gap-3">
        {sections.map(({ settings, title }) => (
          <section key={title}>
            <h3 className="mb-1 text-xs font-medium text-muted">{title}</h3>
            <SettingList settings={settings} valueOf={(setting) => <Value setting={setting} />} />
          </section>
        ))}
      </div>
    </Panel>
  )
}
