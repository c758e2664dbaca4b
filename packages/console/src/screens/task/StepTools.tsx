import type { ReactNode } from "react"
import { Button } from "../../parts/Button.tsx"
import { inputLook } from "../../parts/Field.tsx"
import { ArrowDownUp, ListTree } from "../../parts/Icons.ts"
import { type StepFilter, type StepKind, stepKinds } from "./StepFilter.ts"

export interface StepOrder {
  readonly isGrouped: boolean
  readonly isOldestFirst: boolean
}

const isKind = (value: string): value is StepKind => Object.hasOwn(stepKinds, value)

/** How the steps are searched, filtered and ordered. */
export const StepTools = ({ children, filter, onFilter, onOrder, order }: {
  readonly filter: StepFilter
  readonly onFilter: (filter: StepFilter) => void
  readonly order: StepOrder
  readonly onOrder: (order: StepOrder) => void
  readonly children: ReactNode
}) => (
  <header className="flex shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-b p-1.5">
    <h2 className="sr-only">Steps</h2>
    <input
      type="search"
      aria-label="Search steps"
      placeholder="Search steps"
      value={filter.words}
      className={inputLook("w-48 max-md:w-full")}
      onChange={({ target }) => onFilter({ ...filter, words: target.value })}
    />
    <select
      aria-label="Kind of step"
      className={inputLook("w-32")}
      value={filter.kind ?? ""}
      onChange={({ target: { value } }) => onFilter({ ...filter, kind: isKind(value) ? value : undefined })}
    >
      <option value="">All kinds</option>
      {Object.entries(stepKinds).map(([kind, name]) => <option key={kind} value={kind}>{name}</option>)}
    </select>
    <Button
      kind="ghost"
      size="small"
      title="Reverse the order"
      onClick={() => onOrder({ ...order, isOldestFirst: !order.isOldestFirst })}
    >
      <ArrowDownUp aria-hidden />
      <span className="max-md:sr-only">{order.isOldestFirst ? "Oldest first" : "Newest first"}</span>
    </Button>
    <Button
      kind="ghost"
      size="small"
      className="aria-pressed:bg-raised aria-pressed:text-text"
      aria-pressed={order.isGrouped}
      onClick={() => onOrder({ ...order, isGrouped: !order.isGrouped })}
    >
      <ListTree aria-hidden /> <span className="max-md:sr-only">Group repeated calls</span>
    </Button>
    <div className="ml-auto flex items-center gap-0.5">{children}</div>
  </header>
)
