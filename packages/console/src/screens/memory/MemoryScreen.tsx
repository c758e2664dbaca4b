import { useInfiniteQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { Body } from "../../parts/Body.tsx"
import { Button } from "../../parts/Button.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Brain, SearchX } from "../../parts/Icons.ts"
import { Loaded } from "../../parts/Loaded.tsx"
import { MorePages } from "../../parts/MorePages.tsx"
import { openNewTask } from "../../parts/Overlays.ts"
import { Screen } from "../../parts/Screen.tsx"
import { SearchBox } from "../../parts/SearchBox.tsx"
import { leaving } from "../../service/Leaving.ts"
import { memoriesQuery } from "../../service/MemoryQueries.ts"
import { MemoryActions } from "./MemoryActions.tsx"
import { MemoryCard } from "./MemoryCard.tsx"

const route = getRouteApi("/memory")

const MemoryScreen = () => {
  const { q = "" } = route.useSearch()
  const navigate = route.useNavigate()
  const search = (words: string) => void navigate({ search: words === "" ? {} : { q: words }, replace: true })
  const query = useInfiniteQuery(memoriesQuery(q))
  const gone = leaving.use()
  const memories = (query.data?.pages.flatMap(({ items }) => items) ?? []).filter(({ id }) => !gone.has(`memory.${id}`))
  return (
    <Screen
      title="Memory"
      actions={
        <>
          <SearchBox label="Search memories" words={q} onSearch={search} />
          {memories.length > 0 && <MemoryActions />}
        </>
      }
    >
      <Body>
        <Loaded name="memories" query={query}>
          {() =>
            memories.length > 0
              ? (
                <ul className="flex flex-col gap-2">
                  {memories.map((memory) => <MemoryCard key={memory.id} memory={memory} onTag={search} />)}
                </ul>
              )
              : q === ""
              ? (
                <Empty icon={Brain} title="No memories yet">
                  <p>
                    Agents save what may help later, and how tasks ended. What they know of you appears here, with the
                    task that it comes from, and you can delete it.
                  </p>
                  <Button kind="primary" className="mt-3" onClick={() => openNewTask()}>New task</Button>
                </Empty>
              )
              : (
                <Empty
                  icon={SearchX}
                  title={query.hasNextPage ? "None of the newest memories matches" : "No memory matches"}
                >
                  <Button className="mt-2" onClick={() => search("")}>Show all memories</Button>
                </Empty>
              )}
        </Loaded>
        <MorePages query={query}>Show older memories</MorePages>
      </Body>
    </Screen>
  )
}

export default MemoryScreen
