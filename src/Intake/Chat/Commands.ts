import { TaskId } from "@troupe/domain/Ids"
import type { SearchUnfinished } from "@troupe/domain/Search"
import { type Task, TaskNotFound } from "@troupe/domain/Task"
import { stripped } from "@troupe/domain/Text"
import { Effect, Option, Schema } from "effect"
import type { Tasks } from "../../Task/UseCase/Tasks.ts"
import type { ChatSender } from "./ChatSenders.ts"
import { commandHelp, type Said, taskDetails, taskLine } from "./ChatTexts.ts"
import { requestAnew } from "./MessageRoute.ts"

/** What the text of a command asks for. An id may be the end of a task's id, as the lists show it. */
export type Command =
  | { readonly _tag: "Help" }
  | { readonly _tag: "Tasks" }
  | { readonly _tag: "Status"; readonly id: string | null }
  | { readonly _tag: "Answer"; readonly id: string; readonly text: string }
  | { readonly _tag: "Cancel"; readonly id: string }
  | { readonly _tag: "Incomplete"; readonly usage: string }
  | { readonly _tag: "Request"; readonly text: string }

/** Commands that change nothing. */
export type Reading = Extract<Command, { readonly _tag: "Help" | "Incomplete" | "Status" | "Tasks" }>

export const isReading = (command: Command): command is Reading =>
  command._tag === "Help" || command._tag === "Incomplete" || command._tag === "Status" || command._tag === "Tasks"

const isId = (word: string): boolean => /^[0-9a-f][0-9a-f-]{5,35}$/i.test(word)

/** Commands and ids are also typed as the help shows them: in quotes, as code, with `<` and `>`. */
const bare = (word: string): string => stripped(word.slice(0, 60), "\"'`“”„‘’‚<", "\"'`“”‘’>")

/** Only a text that fits a command exactly is one: "cancel my meeting" is work for the agent. */
export const commandOf = (given: string): Command => {
  const text = given.trim()
  const words = text.split(/\s+/)
  const [word = "", second] = words
  const id = second === undefined ? undefined : bare(second)
  // A command always starts a new task, also where it says so.
  const request: Command = { _tag: "Request", text: Option.getOrElse(requestAnew(text), () => text) }
  switch (bare(word).toLowerCase()) {
    case "":
      return { _tag: "Help" }
    case "help":
      return words.length === 1 ? { _tag: "Help" } : request
    case "tasks":
      return words.length === 1 ? { _tag: "Tasks" } : request
    case "status":
      if (id === undefined) return { _tag: "Status", id: null }
      return words.length === 2 && isId(id) ? { _tag: "Status", id } : request
    case "cancel":
      if (id === undefined) return { _tag: "Incomplete", usage: "cancel <id>" }
      return words.length === 2 && isId(id) ? { _tag: "Cancel", id } : request
    case "answer": {
      if (id === undefined || (isId(id) && words.length === 2)) {
        return { _tag: "Incomplete", usage: "answer <id> <text>" }
      }
      return isId(id)
        ? { _tag: "Answer", id, text: text.replace(/^\S+\s+\S+/, "").trim() }
        : request
    }
    default:
      return request
  }
}

const latestTasks = (
  tasks: Tasks["Type"],
  { userId }: ChatSender,
  limit: number
): Effect.Effect<ReadonlyArray<Task>, SearchUnfinished> =>
  Effect.map(tasks.list({ creator: userId, limit }), ({ items }) => items)

/** A task by its whole id, or by its end or beginning among the sender's latest tasks. */
export const findTask = (
  tasks: Tasks["Type"],
  id: string,
  sender: ChatSender
): Effect.Effect<Task, SearchUnfinished | TaskNotFound> =>
  isTaskId(id)
    ? tasks.find(id)
    : Effect.flatMap(latestTasks(tasks, sender, 100), (all) => {
      const part = id.toLowerCase()
      const found = all.filter((task) => task.id.endsWith(part) || task.id.startsWith(part))
      return found[0] === undefined || found.length > 1 ? new TaskNotFound({ id }) : tasks.find(found[0].id)
    })

const isTaskId = Schema.is(TaskId)

const maxListed = 10

/** What such a command answers. */
export const readCommand = Effect.fnUntraced(function*(
  tasks: Tasks["Type"],
  command: Reading,
  sender: ChatSender
): Effect.fn.Return<Said, SearchUnfinished | TaskNotFound> {
  switch (command._tag) {
    case "Help":
      return [commandHelp]
    case "Incomplete":
      return [`Write \`${command.usage}\`. The ids are in \`tasks\`.`]
    case "Tasks":
      return listed(yield* latestTasks(tasks, sender, maxListed))
    case "Status": {
      if (command.id !== null) return taskDetails(yield* findTask(tasks, command.id, sender))
      const open = (yield* latestTasks(tasks, sender, 100)).filter(({ completed_at }) => completed_at === null)
      return open.length === 0 ? ["None of your tasks is running."] : listed(open.slice(0, maxListed))
    }
  }
})

const listed = (tasks: ReadonlyArray<Task>): Said =>
  tasks.length === 0
    ? ["You have no tasks yet."]
    : tasks.flatMap((task, at) => [...(at === 0 ? [] : ["\n"]), ...taskLine(task)])
