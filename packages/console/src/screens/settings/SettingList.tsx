import type { ReactNode } from "react"

/** Settings by their names, with what they mean. */
export const SettingList = <A extends { readonly name: string; readonly description: string }>({ settings, valueOf }: {
  readonly settings: ReadonlyArray<A>
  readonly valueOf: (setting: A) => ReactNode
}) => (
  <dl className="-mx-3 divide-y border-y">
    {settings.map((setting) => (
      <div key={setting.name} className="grid gap-x-4 px-3 py-1.5 sm:grid-cols-[17rem_minmax(0,1fr)]">
        <dt className="font-mono text-xs leading-5 break-all">{setting.name}</dt>
        <dd className="min-w-0">
          {valueOf(setting)}
          <p className="text-xs text-muted">{setting.description}</p>
        </dd>
      </div>
    ))}
  </dl>
)
