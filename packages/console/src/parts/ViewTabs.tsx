import { Link, type LinkProps } from "@tanstack/react-router"
import { useSelectedTab } from "./SelectedTab.ts"
import { viewTabLook } from "./TabLook.ts"

/** Links to the views of a screen, of which its address says the current one. */
export const ViewTabs = ({ current, label, tabs }: {
  readonly label: string
  readonly current: string
  readonly tabs: ReadonlyArray<readonly [view: string, name: string, link: LinkProps]>
}) => (
  <nav aria-label={label} className="shrink-0 border-b bg-surface">
    <div ref={useSelectedTab(current)} className="flex overflow-x-auto overflow-y-hidden px-2">
      {tabs.map(([view, name, link]) => (
        <Link key={view} {...link} activeOptions={{ exact: true, includeSearch: true }} className={viewTabLook}>
          {name}
        </Link>
      ))}
    </div>
  </nav>
)
