import { Dialog } from "@base-ui/react/dialog"
import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { useRouter } from "@tanstack/react-router"
import { Command, defaultFilter } from "cmdk"
import { type ReactNode, useDeferredValue, useState } from "react"
import { toast } from "sonner"
import { Keyboard, ListChecks, LogOut, Plus, Search, Sun } from "../parts/Icons.ts"
import { closeOverlay, openNewTask, overlay } from "../parts/Overlays.ts"
import { problemText } from "../parts/Problem.tsx"
import { StatusBadge } from "../parts/StatusBadge.tsx"
import { service } from "../service/Service.ts"
import { sessionQuery, useSignOut } from "../service/SessionQueries.ts"
import { usePlaces } from "./Places.ts"
import { setTheme, type Theme, useTheme } from "./Theme.ts"

const Item = ({ children, name, onSelect }: {
  readonly name: string
  readonly onSelect: () => void
  readonly children: ReactNode
}) => (
  <Command.Item
    value={name}
    onSelect={onSelect}
    className="flex h-9 items-center gap-2 rounded-md px-2 data-[selected=true]:bg-raised [&_svg]:size-4"
  >
    {children}
  </Command.Item>
)

const groupLook = "[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-xs "
  + "[&_[cmdk-group-heading]]:text-muted"

const taskMark = "task "

const pageSize = 8

/** The service found the tasks by its own search: each matches. They come after commands and screens of that name. */
const scoreOf: typeof defaultFilter = (value, search, keywords) =>
  value.startsWith(taskMark) ? 0.1 : defaultFilter(value, search, keywords)

const isDark = (theme: Theme) =>
  theme === "dark" || (theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches)

/** Leads to every screen and task by its name. */
const CommandMenu = () => {
  const router = useRouter()
  const places = usePlaces()
  const theme = useTheme()
  const session = useQuery(sessionQuery)
  const signOut = useSignOut()
  const [words, setWords] = useState("")
  const q = useDeferredValue(words.trim())
  const found = useInfiniteQuery({
    queryKey: ["tasks", "search", q],
    queryFn: ({ pageParam }) =>
      service.list({ q, limit: pageSize, ...(pageParam === "" ? {} : { cursor: pageParam }) }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    enabled: q.length > 1
  })
  const tasks = found.data?.pages.flatMap(({ items }) => items) ?? []
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = found
  /** Older tasks were not searched: the last page is too short. */
  const isCut = hasNextPage && (found.data?.pages.at(-1)?.items.length ?? 0) < pageSize
  const go = (run: () => void) => () => {
    closeOverlay()
    run()
  }
  return (
    <Dialog.Root open onOpenChange={(open) => open || closeOverlay()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-page/70" />
        <Dialog.Popup
          aria-label="Search and commands"
          className="fixed inset-x-2 top-[12vh] z-50 mx-auto max-w-xl rounded-lg border bg-surface shadow-2xl"
        >
          <Command label="Search and commands" loop filter={scoreOf}>
            <Command.Input
              autoFocus
              value={words}
              onValueChange={setWords}
              placeholder="Search tasks, or type a command"
              className="h-11 w-full border-b bg-transparent px-4 text-base outline-none"
            />
            <Command.List className="max-h-[50vh] overflow-y-auto p-2">
              <Command.Empty className="px-2 py-4 text-muted">
                {found.isFetching
                  ? "Searching …"
                  : found.error === null
                  ? "Nothing matches."
                  : problemText(found.error)}
              </Command.Empty>
              <Command.Group heading="Commands" className={groupLook}>
                <Item name="New task" onSelect={() => openNewTask()}>
                  <Plus aria-hidden /> New task
                </Item>
                <Item name="Keyboard shortcuts" onSelect={() => overlay.set({ _tag: "shortcuts" })}>
                  <Keyboard aria-hidden /> Keyboard shortcuts
                </Item>
                <Item name="Switch light dark theme" onSelect={go(() => setTheme(isDark(theme) ? "light" : "dark"))}>
                  <Sun aria-hidden /> Switch between light and dark
                </Item>
                {session.data?.signed_in_by === "session" && (
                  <Item
                    name="Sign out everywhere"
                    onSelect={go(() =>
                      void signOut.mutateAsync(true).catch((error: unknown) =>
                        toast.error("You were not signed out", { description: problemText(error) })
                      )
                    )}
                  >
                    <LogOut aria-hidden /> Sign out everywhere
                  </Item>
                )}
              </Command.Group>
              <Command.Group heading="Screens" className={groupLook}>
                {places.flatMap(({ places }) => places).map(({ icon: Icon, name, to }) => (
                  <Item
                    key={to}
                    name={name}
                    onSelect={go(() => void router.navigate({ to }))}
                  >
                    <Icon aria-hidden /> {name}
                  </Item>
                ))}
              </Command.Group>
              {q.length > 1 && (tasks.length > 0 || hasNextPage) && (
                <Command.Group heading="Tasks" className={groupLook}>
                  {tasks.map((task) => (
                    <Item
                      key={task.id}
                      name={`${taskMark}${task.id}`}
                      onSelect={go(() => void router.navigate({ to: "/tasks/$taskId", params: { taskId: task.id } }))}
                    >
                      <StatusBadge task={task} isShort />
                      <span className="truncate">{task.title}</span>
                    </Item>
                  ))}
                  {isCut && (
                    <Item
                      name={`${taskMark}older`}
                      onSelect={() => void fetchNextPage()}
                    >
                      <Search aria-hidden /> {isFetchingNextPage
                        ? "Searching older tasks …"
                        : "Search older tasks: only the newest were searched"}
                    </Item>
                  )}
                  {hasNextPage && !isCut && (
                    <Item
                      name={`${taskMark}all`}
                      onSelect={go(() => void router.navigate({ to: "/tasks", search: { q } }))}
                    >
                      <ListChecks aria-hidden /> Show all that match
                    </Item>
                  )}
                </Command.Group>
              )}
            </Command.List>
          </Command>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

export default CommandMenu
