import { useQuery } from "@tanstack/react-query"
import type { Setting } from "@troupe/client"
import { Loaded } from "../../parts/Loaded.tsx"
import { Panel } from "../../parts/Panel.tsx"
import { Time } from "../../parts/Time.tsx"
import { settingHistoryQuery } from "../../service/SettingQueries.ts"
import { useNameOf } from "../../service/UserNames.ts"

/** Who changed which setting, newest first. */
export const SettingHistory = ({ settings }: { readonly settings: ReadonlyArray<Setting> }) => {
  const nameOf = useNameOf()
  const titleOf = (name: string) => settings.find((one) => one.name === name)?.title ?? name
  return (
    <Panel title="History">
      <Loaded name="history" query={useQuery(settingHistoryQuery)}>
        {(changes) =>
          changes.length === 0 ?
            <p className="text-muted">No setting was changed here yet.</p> :
            (
              <ul aria-label="Changes of settings" className="-m-3 divide-y">
                {changes.map(({ changed_at, changed_by, is_set, name, value }, index) => (
                  <li key={index} className="grid gap-x-4 px-3 py-1.5 sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_12rem]">
                    <span title={name}>{titleOf(name)}</span>
                    {value === null
                      ? <span className="text-muted">{is_set ? "A new secret" : "Removed"}</span>
                      : <code className="font-mono text-xs leading-5 break-all">{value}</code>}
                    <span className="text-muted sm:text-right">
                      {changed_by === null ? "Somebody" : nameOf(changed_by)}, <Time at={changed_at} />
                    </span>
                  </li>
                ))}
              </ul>
            )}
      </Loaded>
    </Panel>
  )
}
