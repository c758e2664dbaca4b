import { Link } from "@tanstack/react-router"
import type { Task } from "@troupe/client"
import { Hash } from "../../../parts/Icons.ts"
import { RichText } from "../../../parts/RichText.tsx"
import { isFinished } from "../TaskState.ts"
import { EndItem } from "./EndItem.tsx"
import { QuestionItem } from "./QuestionItem.tsx"
import { MessageItem, RequestItem } from "./Said.tsx"
import { BranchesItem, FoldedItem, NoteItem, OlderItem, SubtaskItem } from "./SmallItems.tsx"
import type { ThreadItem } from "./ThreadItem.ts"
import { WholeStep } from "./WholeStep.tsx"
import { WorkItem } from "./WorkItem.tsx"

interface Entry {
  readonly item: ThreadItem
  /** The task of the page. */
  readonly task: Task
  /** The task that a question of this thread waits for. */
  readonly asking: Task | undefined
  readonly isLoading: boolean
  readonly onLoad: () => void
  readonly onToggle: (id: string) => void
}

const Content = ({ asking, isLoading, item, onLoad, onToggle, task }: Entry) => {
  switch (item._tag) {
    case "request":
      return <RequestItem task={item.task} />
    case "folded":
      return <FoldedItem task={item.task} onToggle={onToggle} />
    case "older":
      return (
        <OlderItem
          before={item.before}
          taskId={item.taskId}
          isLoading={isLoading}
          onLoad={item.taskId === task.id ? onLoad : undefined}
        />
      )
    case "words":
      return (
        <>
          <RichText text={item.text} />
          {item.isCut && <WholeStep of={item} />}
        </>
      )
    case "work":
      return <WorkItem item={item} isRunning={item.taskId !== task.id || !isFinished(task)} />
    case "question":
      return <QuestionItem item={item} task={item.taskId === asking?.id ? asking : undefined} />
    case "message":
      return <MessageItem item={item} />
    case "note":
      return <NoteItem item={item} />
    case "subtask":
      return <SubtaskItem item={item} onToggle={onToggle} />
    case "branches":
      return <BranchesItem tasks={item.tasks} />
    case "end":
      return <EndItem item={item} />
  }
}

/** An entry of a thread, with the address that leads to it. */
export const ThreadEntry = (entry: Entry) => {
  const { item, task } = entry
  return (
    <div className="group/entry relative">
      <Content {...entry} />
      {("seq" in item || item.taskId !== task.id) && (
        <Link
          to="/tasks/$taskId"
          params={{ taskId: item.taskId }}
          search={"seq" in item ? { message: item.seq } : {}}
          replace={item.taskId === task.id}
          aria-label={"seq" in item ? "Link to this place" : "Open this task"}
          title={"seq" in item ? "Link to this place" : "Open this task"}
          className="absolute top-1 -right-6 grid size-5 place-items-center rounded-sm text-muted opacity-0 group-hover/entry:opacity-100 hover:text-text focus-visible:opacity-100 max-md:hidden"
        >
          <Hash aria-hidden className="size-3.5" />
        </Link>
      )}
    </div>
  )
}
