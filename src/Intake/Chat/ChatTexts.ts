import type { Schedule } from "@troupe/domain/Schedule"
import type { Task, TaskStatus } from "@troupe/domain/Task"
import { headOf, shortened } from "@troupe/domain/Text"
import { DateTime, Option } from "effect"
import { bold, italic, link, type Piece } from "../../Chat/ChatMessage.ts"
import { timeInWords } from "../Schedule/ScheduledTimes.ts"
import { zoneOf } from "../Schedule/ScheduleRow.ts"

/** What we say, in parts. */
export type Said = ReadonlyArray<Piece>

const examples = [
  "`remind me to <what> at <time>`, `remind me to <what> in <time>`",
  "`remind me to <what> every <recurrence>`, `every <recurrence> <what>`",
  "`remind <name> to <what> at <time>`",
  "`schedule <what> at <time>`, `schedule <what> every <recurrence>`"
].map((line) => `• ${line}`).join("\n")

export const introduction =
  "Hello! I work on tasks for this channel. Mention me with what you need, and I answer in a thread: I use tools, ask "
  + "when something is unclear, and post the result here. Reply in the thread to answer or to continue.\n"
  + `I also schedule tasks and reminders:\n${examples}\n`
  + "I read the messages of this channel as context; I reply only when I am mentioned."

const aConversation =
  "What you write to me directly belongs to your last task, up to an hour after its last message or result. "
  + "To start another one, begin with `new:`."

export const help: Said = [
  "Tell me what you need, for example: ",
  italic("summarise this thread"),
  `. ${aConversation}\nFor later:\n${examples}`
]

export const commandHelp = [
  "Write what you need, and I start a task; you get the result as a direct message. Or:",
  "• `tasks`: lists your latest tasks",
  "• `status`: lists your running tasks; `status <id>`: shows one task",
  "• `answer <id> <text>`: answers a question",
  "• `cancel <id>`: cancels a task",
  "• `help`: shows this text"
].join("\n") + `\n${aConversation} A command always starts a new one.\nFor later:\n${examples}`

export const nonMemberRefused =
  "I work only for members of this team. Ask an owner or admin to invite the e-mail address of your chat profile, sign in "
  + "to Troupe once, and write to me again."

export const limitReached = "You have started many tasks in a short time, so I did not start this one. Try again later."

export const nothingRead = "I found no text, file or forwarded message in what you wrote. Please write it as text."

export const answerRefused = "This question waits for the person who gave the task, its assignee, an owner or an admin."

export const approvalUnclear = (hasButtons: boolean): string =>
  "I did not send anything yet, because I can't tell which question you mean. Please "
  + (hasButtons ? "press the button of the question, or answer in its thread." : "reply to the question itself.")

/** Where a person decides about calls, if not by a typed word. */
const decidedIn = (hasButtons: boolean, task: string | null): Said => [
  hasButtons ? "press a button of the question, or decide in " : "decide in ",
  task === null ? "the console" : link(task, "the console"),
  "."
]

/** A typed word does not say which of several calls it is about. */
export const severalOpen = (count: number, hasButtons: boolean, task: string | null): Said => [
  `I changed nothing, because ${count} calls are open and a typed word does not say which you mean. Please `,
  ...decidedIn(hasButtons, task)
]

export const destructiveTyped = (hasButtons: boolean, task: string | null): Said => [
  "I changed nothing, because this call destroys something, which is not approved by a typed word. Please ",
  ...decidedIn(hasButtons, task)
]

const kindOf = (kind: Schedule["kind"], who: string | null): string =>
  kind === "task" ? "I will start" : `I will remind ${who ?? "you"}`

/** Shown in the time zone of the reader; elsewhere in that of the schedule. */
const shownTime = (iso: string, timezone: string): Piece =>
  Option.match(DateTime.make(iso), {
    onNone: () => iso,
    onSome: (time) => ({
      _tag: "Time",
      epochSeconds: Math.floor(time.epochMillis / 1000),
      words: timeInWords(time, zoneOf(timezone))
    })
  })

const shownRuns = 3

/** Confirms a schedule with its next runs. `who`: the name of another person who is reminded. */
export const scheduled = (
  { cron, every, kind, message, next_runs, timezone }: Schedule,
  who: string | null = null
): Said => {
  const runs = next_runs.slice(0, shownRuns).map((run) => shownTime(run, timezone))
  return cron === null
    ? [`${kindOf(kind, who)}: `, bold(message), ", ", ...runs, "."]
    : [
      `${kindOf(kind, who)} regularly: `,
      bold(message),
      `. The rule is \`${every ?? cron}\` (${timezone}). The next runs:`,
      ...runs.flatMap((run) => ["\n• ", run])
    ]
}

export const filesNotKept = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.length === 0
    ? []
    : [
      `A schedule keeps no files, so I left out ${shortened(names.join(", "), 300)}. Share them when it is time.`
    ]

export const notScheduled = (reason: string): string =>
  `I did not schedule anything: ${reason}\nYou can write:\n${examples}\n`
  + "To have it done now, begin with `now`."

/** Why nobody can be reminded by this name. */
export const notReminded = (name: string, { isKnown, named }: {
  readonly isKnown: boolean
  readonly named: ReadonlyArray<string>
}): string => {
  const quoted = `"${shortened(name, 80)}"`
  if (named.length > 1) {
    return `several people match ${quoted}: ${shortened(named.join(", "), 300)}. Write the whole name.`
  }
  return isKnown
    ? `${quoted} is no person of this team. An owner or admin can invite them, or enter their e-mail address.`
    : `I know nobody called ${quoted}. Write the name as in their profile.`
}

export const guestsRemind = "guests of this workspace set reminders for themselves only."

export const nothingToDo = "Also say what to do or to remind you of."

/** A time was read, but not the words beside it. */
export const notWhole = (when: string, unread: string): string =>
  `I can read "${when}" as the time, but "${shortened(unread, 80)}" beside it seems to belong to it, too. `
  + "Write the time in one piece"

export const noTime = "I found no time in your message. Try `tomorrow at 9`, `in 2 hours` or `every weekday at 9`."

const statusTexts: Readonly<Record<TaskStatus, string>> = {
  pending: "starts soon",
  running: "is running",
  completed: "done",
  failed: "failed",
  waiting_input: "waits for an answer",
  waiting_subagents: "is running"
}

const idLength = 8

/** Enough of a task's id to tell it from the user's others. */
export const shortId = (id: string): string => id.slice(-idLength)

export const taskLine = ({ end_label, id, progress, question, status, title }: Task): Said => {
  const about = status === "running"
    ? ` (${progress} %)`
    : question === null
    ? ""
    : `: ${shortened(question, 150)}`
  return [
    `• \`${shortId(id)}\` `,
    bold(shortened(title, 80)),
    ` ${end_label === null ? statusTexts[status] : lowerFirst(end_label)}${about}`
  ]
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

const maxText = 2_500

export const taskDetails = (task: Task): Said => {
  const text = task.question ?? task.error ?? task.outputs.findLast(({ type }) => type === "text")?.content ?? ""
  return [...taskLine({ ...task, question: null }), ...(text === "" ? [] : [`\n${headOf(text, maxText)}`])]
}
