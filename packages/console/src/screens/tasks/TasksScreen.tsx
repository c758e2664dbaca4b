import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { Button } from "../../parts/Button.tsx"
import { Loaded } from "../../parts/Loaded.tsx"
import { Screen } from "../../parts/Screen.tsx"
import { useMayChangeAll } from "../../service/Rights.ts"
import { type TaskFilter, tasksQuery } from "../../service/TaskQueries.ts"
import { BulkDialog } from "./BulkDialog.tsx"
import { ColumnMenu } from "./ColumnMenu.tsx"
import { FilterBar } from "./FilterBar.tsx"
import { FirstTasks, NoMatch, SearchOlder } from "./NoTasks.tsx"
import { useSelection } from "./Selection.ts"
import { SelectionBar } from "./SelectionBar.tsx"
import { StatusTabs, withoutState } from "./StatusTabs.tsx"
import { shownIn } from "./TaskSearch.ts"
import { TaskTable } from "./TaskTable.tsx"

const route = getRouteApi("/tasks")

const TasksScreen = () => {
  const filter: TaskFilter = shownIn(route.useSearch())
  const navigate = route.useNavigate()
  const setFilter = (next: TaskFilter) => void navigate({ search: next, replace: true })
  // What was found before stays while somebody types.
  const query = useInfiniteQuery({ ...tasksQuery(filter), placeholderData: keepPreviousData })
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = query
  const tasks = query.data?.pages.flatMap(({ items }) => items) ?? []
  /** Older tasks were not searched: the last page is too short to scroll to its end. */
  const isCut = hasNextPage && (query.data?.pages.at(-1)?.items.length ?? 0) < 50
  const selection = useSelection(tasks)
  const mayChangeAll = useMayChangeAll(filter)
  const [isChanging, setIsChanging] = useState(false)
  const [hasWords, setHasWords] = useState(false)
  /** The list is what the filter and the typed words match. */
  const isApplied = !hasWords && query.data !== undefined && !query.isPlaceholderData
  return (
    <Screen
      title="Tasks"
      actions={
        <>
          <FilterBar filter={filter} onChange={setFilter} onPending={setHasWords} />
          <ColumnMenu />
          {mayChangeAll && (
            <Button
              className="max-md:hidden"
              disabled={tasks.length === 0}
              onClick={() => setIsChanging(true)}
            >
              {filter.status === "failed" ? "Retry all …" : "Change all …"}
            </Button>
          )}
        </>
      }
      tabs={
        <>
          {selection.tasks.length > 0
            ? <SelectionBar selection={selection} onAll={() => setIsChanging(true)} />
            : <StatusTabs filter={filter} onChange={setFilter} />}
          {isApplied && isCut && <SearchOlder isLoading={isFetchingNextPage} onMore={() => void fetchNextPage()} />}
        </>
      }
    >
      <Loaded errorLook="p-3" name="list" query={query}>
        {() =>
          tasks.length > 0
            ? (
              <div aria-busy={!isApplied} className="h-full aria-busy:opacity-60">
                <TaskTable
                  tasks={tasks}
                  selection={selection}
                  filter={filter}
                  onFilter={setFilter}
                  hasMore={isApplied && hasNextPage && !isCut}
                  isLoadingMore={isFetchingNextPage}
                  onMore={() => void fetchNextPage()}
                />
              </div>
            )
            : Object.keys(filter).length > 0
            ? <NoMatch isState={Object.keys(withoutState(filter)).length === 0} onClear={() => setFilter({})} />
            : <FirstTasks />}
      </Loaded>
      {isChanging && (
        <BulkDialog
          // Another list is another question.
          key={JSON.stringify(filter)}
          filter={filter}
          newest={isApplied ? tasks[0]?.created_at : undefined}
          isApplied={isApplied}
          onClose={() => setIsChanging(false)}
        />
      )}
    </Screen>
  )
}

export default TasksScreen
