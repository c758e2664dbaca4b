import { Button } from "../../parts/Button.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { FilterX, ListChecks } from "../../parts/Icons.ts"
import { openNewTask } from "../../parts/Overlays.ts"

const use = (tool: string, input: object) => `use ${tool} ${JSON.stringify(input)}`

/** Tasks that the offline model runs, too. */
const examples = [
  {
    name: "Work with files",
    text: "Writes a file and lists the folder.",
    message: `${use("write_file", { path: "hello.txt", content: "Hello from Troupe" })}\n\n${
      use("list_directory", { path: "." })
    }`
  },
  {
    name: "Ask a question",
    text: "Stops until you answer; the answer may come in a week.",
    message: use("ask_human", { question: "Which colour should the report have?", choices: ["Red", "Blue"] })
  },
  {
    name: "Send out subagents",
    text: "Two subtasks work at the same time, each with its own steps.",
    message: ["one", "two"].map((name) =>
      use("dispatch_subagent", {
        task_description: use("write_file", { path: `${name}.txt`, content: `Part ${name}` })
      })
    ).join("\n")
  }
] as const

/** A first start: what tasks are, and three that work without a model provider. */
export const FirstTasks = () => (
  <Empty icon={ListChecks} title="No tasks yet">
    <p>
      A task is a request to the agent. It works in steps, asks you when it must, and goes on after a crash where it
      was. These three work without a model provider:
    </p>
    <ul className="mt-4 grid gap-2 text-left text-text sm:grid-cols-3">
      {examples.map(({ message, name, text }) => (
        <li key={name} className="flex flex-col gap-2 rounded-lg border bg-surface p-3">
          <h3 className="font-semibold">{name}</h3>
          <p className="flex-1 text-muted">{text}</p>
          <Button
            onClick={() =>
              openNewTask({ message })}
          >
            Try it
          </Button>
        </li>
      ))}
    </ul>
  </Empty>
)

/** `isState`: a tab was chosen, and no filter. */
export const NoMatch = ({ isState, onClear }: { readonly isState: boolean; readonly onClear: () => void }) => (
  <Empty icon={FilterX} title={isState ? "No task is in this state" : "No task matches"}>
    <Button className="mt-2" onClick={onClear}>{isState ? "Show all tasks" : "Clear all filters"}</Button>
  </Empty>
)

/** A text of one or two letters is sought among some thousand tasks at a time. */
export const SearchOlder = ({ isLoading, onMore }: { readonly isLoading: boolean; readonly onMore: () => void }) => (
  <div className="flex flex-wrap items-center gap-2 border-b px-4 py-2 text-muted">
    <p>Only the newest tasks were searched for so short a text.</p>
    <Button disabled={isLoading} onClick={onMore}>Search older tasks</Button>
  </div>
)
