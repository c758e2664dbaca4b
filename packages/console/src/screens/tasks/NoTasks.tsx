import { Button } from "../../parts/Button.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { FilterX, ListChecks } from "../../parts/Icons.ts"
import { openNewTask } from "../../parts/Overlays.ts"
import { useHasModel } from "../../service/SystemQueries.ts"

const use = (tool: string, input: object) => `use ${tool} ${JSON.stringify(input)}`

interface Example {
  readonly name: string
  readonly text: string
  readonly message: string
}

/** What a language model can be asked for. */
const examples: ReadonlyArray<Example> = [
  {
    name: "Summarise a document",
    text: "Attach it before you create the task.",
    message:
      "Summarise the attached document for somebody who has five minutes: what it says, and what has to be decided."
  },
  {
    name: "Prepare a decision",
    text: "Stops to ask you; the answer may come in a week.",
    message:
      "Compare three ways to back up the files of a small company. Ask me what matters to us before you recommend one."
  },
  {
    name: "Write a document",
    text: "The result has a Word file.",
    message: "Write a checklist for the first week of a new colleague, and attach it as a Word document."
  }
]

/** Tasks that the offline model runs. */
const offlineExamples: ReadonlyArray<Example> = [
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
    name: "Delegate to subagents",
    text: "Two subtasks work at the same time, each with its own steps.",
    message: ["one", "two"].map((name) =>
      use("dispatch_subagent", {
        task_description: use("write_file", { path: `${name}.txt`, content: `Part ${name}` })
      })
    ).join("\n")
  }
]

/** A first start: what tasks are, and three to try. */
export const FirstTasks = () => {
  const hasModel = useHasModel()
  return (
    <Empty icon={ListChecks} title="No tasks yet">
      <p>
        A task is a request to the agent. It works in steps, asks you when it must, and goes on after a crash where it
        was. {hasModel === false ? "These three show it without a language model:" : "Three to begin with:"}
      </p>
      <ul className="mt-4 grid gap-2 text-left text-text sm:grid-cols-3">
        {hasModel !== undefined &&
          (hasModel ? examples : offlineExamples).map(({ message, name, text }) => (
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
}

/** `isState`: a tab was chosen, and no filter. */
export const NoMatch = ({ isState, onClear }: { readonly isState: boolean; readonly onClear: () => void }) => (
  <Empty icon={FilterX} title={isState ? "No task is in this state" : "No task matches"}>
    <Button className="mt-2" onClick={onClear}>{isState ? "Show all tasks" : "Clear all filters"}</Button>
  </Empty>
)

/** Where few of many tasks match, a part of them is searched at a time. */
export const SearchOlder = ({ isLoading, onMore }: { readonly isLoading: boolean; readonly onMore: () => void }) => (
  <div className="flex flex-wrap items-center gap-2 border-b px-4 py-2 text-muted">
    <p>Only the newest of many tasks were searched.</p>
    <Button disabled={isLoading} onClick={onMore}>Search older tasks</Button>
  </div>
)
