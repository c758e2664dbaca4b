import { X } from "../../parts/Icons.ts"
import { SearchBox } from "../../parts/SearchBox.tsx"
import type { TaskFilter } from "../../service/TaskQueries.ts"
import { FilterMenu } from "./FilterMenu.tsx"
import { filterKeys } from "./Filters.ts"
import { useFilterText } from "./FilterText.ts"

/** What is set beside the state, each with a way to remove it; the other filters, and the search by words. */
export const FilterBar = ({ filter, onChange, onPending }: {
  readonly filter: TaskFilter
  readonly onChange: (filter: TaskFilter) => void
  /** Whether there are words that are not searched yet. */
  readonly onPending: (isPending: boolean) => void
}) => {
  const filterText = useFilterText()
  const search = (text: string) => {
    const { q: _, ...others } = filter
    onChange(text === "" ? others : { ...others, q: text })
  }
  return (
    <>
      {filterKeys.filter((key) => filter[key] !== undefined).map((key) => {
        const { [key]: value, ...others } = filter
        return (
          <button
            key={key}
            type="button"
            title="Remove this filter"
            className="inline-flex h-7 max-w-64 items-center gap-1 rounded-full border bg-accent-soft px-2.5 text-xs"
            onClick={() => onChange(others)}
          >
            <span className="truncate">{filterText(key, value)}</span>
            <X aria-hidden className="size-3.5 shrink-0" />
          </button>
        )
      })}
      <SearchBox label="Search tasks" words={filter.q ?? ""} onSearch={search} onPending={onPending} />
      <FilterMenu filter={filter} onChange={onChange} />
    </>
  )
}
