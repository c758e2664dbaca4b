import { useSelectedTab } from "./SelectedTab.ts"
import { listTabLook } from "./TabLook.ts"

/** One tab a state of the entries of a list. */
export const StateTabs = <A extends string>({ current, names, onChange }: {
  readonly names: Readonly<Record<A, string>>
  readonly current: A | undefined
  readonly onChange: (state: A | undefined) => void
}) => {
  const states: ReadonlyArray<readonly [string, A | undefined]> = [
    ["All", undefined],
    ...Object.keys(names).filter((state): state is A => state in names).map((state) => [names[state], state] as const)
  ]
  return (
    <div
      ref={useSelectedTab(current ?? "")}
      role="group"
      aria-label="State"
      className="flex shrink-0 overflow-x-auto overflow-y-hidden border-b bg-surface px-2"
    >
      {states.map(([name, state]) => (
        <button
          key={name}
          type="button"
          aria-pressed={current === state}
          className={listTabLook}
          onClick={() => onChange(state)}
        >
          {name}
        </button>
      ))}
    </div>
  )
}
