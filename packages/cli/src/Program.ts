import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as ValidationError from "@effect/cli/ValidationError"
import { version } from "@troupe/domain/Version"
import { Array as Arr, Console, Effect, HashMap, Option } from "effect"
import { agents } from "./AgentCommands.ts"
import { answer } from "./AnswerCommand.ts"
import { approvals, approve, deny } from "./ApprovalCommands.ts"
import { defaultUrl } from "./Arguments.ts"
import { backup, restore } from "./BackupCommands.ts"
import { exits, wrongUsage } from "./CommandFailed.ts"
import { deliveries } from "./DeliveryCommands.ts"
import { doctor } from "./DoctorCommand.ts"
import { files } from "./FileCommands.ts"
import { safeLine, table } from "./Format.ts"
import { helpOf } from "./Help.ts"
import { init } from "./InitCommand.ts"
import { limits } from "./LimitCommands.ts"
import { mcp } from "./McpCommand.ts"
import { memory } from "./MemoryCommands.ts"
import { models } from "./ModelCommands.ts"
import { notifications } from "./NotificationCommands.ts"
import { outbox } from "./OutboxCommands.ts"
import { policy } from "./PolicyCommands.ts"
import { schedules } from "./ScheduleCommands.ts"
import { serviceFiles } from "./ServiceCommands.ts"
import { skills } from "./SkillCommands.ts"
import { api, chatHandler, ingestor, start, worker } from "./StartCommand.ts"
import { submit } from "./SubmitCommand.ts"
import { subscriptions } from "./SubscriptionCommands.ts"
import { cancel, message, retry, show, tasks, watch } from "./TaskCommands.ts"
import { team, usage } from "./TeamCommands.ts"
import { tokens } from "./TokenCommands.ts"
import { tools } from "./ToolCommands.ts"
import { upgrade } from "./UpgradeCommand.ts"

/** Every command with its words and what it does. */
const commands = [
  [submit, "submit [message]", "submit a task; --watch shows its steps and its output"],
  [tasks, "tasks", "list tasks, newest first"],
  [show, "show <task>", "show a task with its subtasks, tokens, times and outputs"],
  [watch, "watch [task]", "show the events of a task until it is finished, or of all tasks"],
  [answer, "answer [task] [text]", "answer the question of a task; asks for what is left out"],
  [approvals, "approvals", "list and show the tool calls that wait for approval"],
  [approve, "approve <task> [row...]", "approve calls of a task: those named, else all that are open"],
  [deny, "deny <task> [row...]", "deny calls of a task"],
  [message, "message <task> [text]", "send the agent a message; continues a finished task"],
  [cancel, "cancel <task>", "stop a task and its subtasks"],
  [retry, "retry <task>", "continue a failed task from its last saved step"],
  [notifications, "notifications", "list, mark as read and delete questions, results and failures of your tasks"],
  [schedules, "schedules", "list, add, pause, resume, run and delete scheduled tasks and reminders"],
  [subscriptions, "subscriptions", "list, add and delete outgoing webhooks for the events of tasks"],
  [agents, "agents", "list, show and reload agents"],
  [skills, "skills", "list, show, match and reload skills"],
  [files, "files", "list, upload, download and delete your files"],
  [memory, "memory", "list, search, export and delete what agents remember of you"],
  [outbox, "outbox", "list outgoing messages, and send failed ones again"],
  [deliveries, "deliveries", "list and show webhooks that arrived, and process one again"],
  [usage, "usage", "tokens, calls and cost of your tasks"],
  [limits, "limits", "show and set what may be spent in a day and in a month"],
  [policy, "policy", "show, test and save the rules about what tool calls may do"],
  [team, "team", "list, invite and remove the members of a hosted service"],
  [tokens, "tokens", "list, create and revoke your tokens of a hosted service"],
  [tools, "tools", "list the tool servers and their tools"],
  [models, "models", "list, connect, test, choose and delete the language models"],
  [mcp, "mcp", "serve the tasks of the service to an MCP client, over standard input and output"],
  [init, "init", "write .env of a new service in this folder"],
  [start, "start", "start the service here, and connect a model if there is none"],
  [api, "api", "start a process that serves HTTP and runs no tasks"],
  [worker, "worker", "start a process that runs tasks"],
  [ingestor, "ingestor", "start a process that accepts webhooks"],
  [chatHandler, "chat-handler", "start a process that accepts requests of the team chat"],
  [serviceFiles, "service", "print what makes this machine start the service: systemd or launchd"],
  [backup, "backup <file>", "save the database and the files of the service, while it runs"],
  [restore, "restore <file>", "restore a backup into the stopped service"],
  [upgrade, "upgrade --check", "say what the first start of this version would do to the database"],
  [doctor, "doctor", "check the service and its machine, and say how to fix faults"]
] as const

/** What `troupe` alone and `troupe --help` print. */
export const overview = `troupe ${version}: submits, watches and answers the tasks of a Troupe service

Usage: troupe <command> [options]

${table(commands.map(([, usage, summary]) => ["", usage, summary]))}
Options of every command:
${
  table([
    ["", "--url <address>", `the service; default: TROUPE_URL, else ${defaultUrl}`],
    ["", "--token <token>", "bearer token of a hosted service; default: TROUPE_TOKEN"],
    ["", "--json", "write results as JSON; a watch writes one event a line"],
    ["", "--help", "the options of the command"]
  ])
}
troupe --completions bash|zsh|fish prints a completion script, for example for ~/.bashrc:
  source <(troupe --completions bash)

Exit codes:
${table(Object.values(exits).map(({ code, meaning }) => ["", String(code), meaning]))}`

export const root = Command.make("troupe", {}, () => Console.log(overview.trimEnd())).pipe(
  Command.withSubcommands(Arr.map(commands, ([command]) => command))
)

/** The commands, as the parser knows them. */
export const commandNames: ReadonlyArray<string> = [...HashMap.keys(Command.getSubcommands(root))]

/** Parses a command line, and runs nothing. */
export const parse = (words: ReadonlyArray<string>) =>
  CommandDescriptor.parse(root.descriptor, ["troupe", ...words], CliConfig.defaultConfig)

const descriptors = new Map<string, CommandDescriptor.Command<unknown>>(
  commands.map(([{ descriptor }, usage]) => [usage.split(" ")[0] ?? "", descriptor])
)

const execute = Command.run(root, { name: "troupe", version })

/** How many words an option of every command takes; 0: it is none. */
const wordsOf = (word: string): number =>
  word === "--url" || word === "--token" ? 2 : word === "--json" || /^--(?:url|token)=/.test(word) ? 1 : 0

/** The names of the commands in a group; none: it is no group. */
const namesIn = (name: string): ReadonlyArray<string> => {
  const descriptor = descriptors.get(name)
  const names = descriptor === undefined ? [] : [...HashMap.keys(CommandDescriptor.getSubcommands(descriptor))]
  return names.includes(name) ? [] : names
}

/** The parser takes options after their command only; those of every command may also come before it. */
const ordered = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  let begin = 0
  for (let taken = 1; taken > 0; begin += taken) taken = wordsOf(words[begin] ?? "")
  const given = words.slice(begin)
  const [command = "", within = ""] = given
  const length = namesIn(command).includes(within) ? 2 : Math.min(1, given.length)
  return [...given.slice(0, length), ...words.slice(0, begin), ...given.slice(length)]
}

/** The parser would call a group unknown where a word after it is. */
const checked = (words: ReadonlyArray<string>) => {
  const [name = "", ...rest] = words
  const descriptor = descriptors.get(name)
  const names = namesIn(name)
  return descriptor === undefined || names.length === 0 ? Effect.void : Effect.asVoid(
    CommandDescriptor.parse(descriptor, words, CliConfig.defaultConfig)
  ).pipe(
    Effect.catchIf(
      ValidationError.isCommandMismatch,
      () =>
        wrongUsage(
          `troupe ${name} does not understand: ${safeLine(rest.join(" "), 200)}\nIts commands are ${
            names.join(", ")
          }; their options come after them. See troupe ${name} --help.`
        )
    ),
    Effect.catchIf(ValidationError.isValidationError, () => Effect.void)
  )
}

/** Runs the command with the arguments of a process, program and script first. */
export const run = (words: ReadonlyArray<string>): ReturnType<typeof execute> => {
  const given = ordered(words.slice(2).filter((word, index) => index > 0 || word !== "help"))
  const asksHelp = words[2] === "help" || given.some((word) => word === "--help" || word === "-h")
  const help = asksHelp
    ? given.every((word) => word.startsWith("-")) ? Option.some(overview) : helpOf(descriptors, given)
    : Option.none()
  return Option.match(help, {
    onNone: () => Effect.zipRight(checked(given), execute([...words.slice(0, 2), ...given])),
    onSome: (text) => Console.log(text.trimEnd())
  })
}
