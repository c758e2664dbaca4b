import { useInfiniteQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { Button } from "../../parts/Button.tsx"
import { Loaded } from "../../parts/Loaded.tsx"
import { Screen } from "../../parts/Screen.tsx"
import { useMayChangeAll } from "../../service/Rights.ts"
import { type TaskFilter, tasksQuery } from "../../service/TaskQueries.ts"
import { BulkDialog } from "./BulkDialog.tsx"
import { FilterBar } from "./FilterBar.tsx"
import { FirstTasks, NoMatch } from "./NoTasks.tsx"
import { StatusTabs } from "./StatusTabs.tsx"
import { filterIn } from "./TaskSearch.ts"
import { TaskTable } from "./TaskTable.tsx"

const route = getRouteApi("/tasks")

const TasksScreen = () => {
  const filter = filterIn(route.useSearch())
  const navigate = route.useNavigate()
  const setFilter = (next: TaskFilter) => void navigate({ search: next, replace: true })
  const query = useInfiniteQuery(tasksQuery(filter))
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = query
  const tasks = query.data?.pages.flatMap(({ items }) => items) ?? []
  const mayChangeAll = useMayChangeAll(filter)
  const [isChanging, setIsChanging] = useState(false)
  return (
    <Screen
      title="Tasks"
      actions={
        <>
          <FilterBar filter={filter} onChange={setFilter} />
          {mayChangeAll && (
            <Button disabled={tasks.length === 0} onClick={() => setIsChanging(true)}>
              {filter.status === "failed" ? "Retry all …" : "Change all …"}
            </Button>
          )}
        </>
      }
      tabs={<StatusTabs filter={filter} onChange={setFilter} />}
    >
      <Loaded errorLook="p-3" name="list" query={query}>
        {() =>
          tasks.length > 0
            ? (
              <TaskTable
                tasks={tasks}
                filter={filter}
                onFilter={setFilter}
                hasMore={hasNextPage}
                isLoadingMore={isFetchingNextPage}
                onMore={() => void fetchNextPage()}
              />
            )
            : Object.keys(filter).length > 0
            ? <NoMatch isState={Object.keys(filter).join() === "status"} onClear={() => setFilter({})} />
            : <FirstTasks />}
      </Loaded>
      {isChanging && <BulkDialog filter={filter} onClose={() => setIsChanging(false)} />}
    </Screen>
  )
}

export default TasksScreen
