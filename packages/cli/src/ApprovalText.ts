import { type Approval, askedCalls, whyItAsks } from "@troupe/domain/Approval"
import type { Task } from "@troupe/domain/Task"
import { plural } from "@troupe/domain/Text"
import { hostsIn, visibleLine, visibleSigns } from "@troupe/domain/VisibleSigns"
import { list, minuteOf, safeLine, type TextStyle } from "./Format.ts"

const statusStyles = { open: "yellow", approved: "green", denied: "red", cancelled: "dim" } as const

export const approvalsTable = list<Approval>(
  ["TASK", ({ task_id }) => task_id, "dim"],
  ["CALL", ({ tool_call_id }) => safeLine(visibleLine(tool_call_id), 40), "dim"],
  ["ASKED", ({ created_at }) => minuteOf(created_at), "dim"],
  ["TOOL", ({ tool }) => safeLine(visibleLine(tool), 60)],
  ["CLASS", (one) => one.class],
  ["CONTEXT", ({ context }) => context],
  ["STATUS", ({ status }) => status, ({ status }) => statusStyles[status]]
)

/** The calls of a task's pending question, in its order; of a task that asks about none, all that it ever asked about. */
export const rowsOf = ({ approvals, last_tool_call_id: asked }: Task): ReadonlyArray<Approval> => {
  const calls = asked === null ? [] : askedCalls(asked)
  const rows = calls.flatMap((call) => approvals.findLast(({ tool_call_id }) => tool_call_id === call) ?? [])
  return rows.length > 0 ? rows : approvals
}

/** The rows that these words name by their places or by calls; else which word names none. */
export const namedRows = (
  rows: ReadonlyArray<Approval>,
  words: ReadonlyArray<string>
): { readonly rows: ReadonlyArray<Approval> } | { readonly unknown: string } => {
  const found: Array<Approval> = []
  for (const word of words.flatMap((one) => one.split(",")).filter((one) => one !== "")) {
    const [only, another] = /^\d+$/.test(word)
      ? rows.slice(Number(word) - 1, Number(word)).filter(() => word !== "0")
      : rows.some(({ tool_call_id }) => tool_call_id === word)
      ? rows.filter(({ tool_call_id }) => tool_call_id === word)
      : rows.filter(({ tool_call_id }) => tool_call_id.startsWith(word))
    if (only === undefined || another !== undefined) return { unknown: word }
    if (!found.includes(only)) found.push(only)
  }
  return { rows: found }
}

const approvers: Readonly<Record<string, string>> = {
  requester: "its creator or assignee",
  admin: "an owner or admin"
}

const sinceText = (step: number): string => step === 0 ? "the request" : `step ${step}`

const contextText = (
  { outside_because: because, outside_since: outside, private_since: isPrivate }: Approval
): string =>
  [
    outside === null
      ? "nothing from outside"
      : `something from outside since ${sinceText(outside)}${because === null ? "" : ` (${visibleLine(because)})`}`,
    ...(isPrivate === null ? [] : [`something private since ${sinceText(isPrivate)}`])
  ].join(", ")

const decisionText = ({ decided_at, decided_by, edited, reason, status, via }: Approval): string =>
  [
    status,
    ...(edited ? ["with other arguments"] : []),
    ...(decided_by === null ? [] : [`by ${safeLine(decided_by, 80)}`]),
    ...(via === null ? [] : [`by ${via.replace("_", " ")}`]),
    ...(decided_at === null ? [] : [`at ${minuteOf(decided_at)}`]),
    ...(reason === null ? [] : [`(${visibleLine(reason)})`])
  ].join(" ")

/** A call with all that its approver must see; signs that can't be seen are shown by their numbers. */
export const rowText = (row: Approval, place: number, paint: TextStyle): string => {
  const { arguments: args, cause, class: ofTool, files, preset, requester, rule, server, tool, who } = row
  const json = JSON.stringify(args, null, 2)
  const hosts = hostsIn(json)
  const fact = (name: string, text: string) => `   ${paint.dim(`${name}:`)} ${text}\n`
  return [
    `${paint.bold(`${place}. ${visibleLine(tool)}`)} (${ofTool})${
      server === null ? "" : ` of the tool server ${visibleLine(server)}`
    }\n`,
    fact("Status", paint[statusStyles[row.status]](decisionText(row))),
    fact("Call", visibleLine(row.tool_call_id)),
    fact("Requester", safeLine(requester, 80)),
    fact("Why", visibleLine(whyItAsks({ cause, preset, rule: rule?.index ?? null, because: rule?.because ?? null }))),
    fact("The agent has seen", contextText(row)),
    fact("May decide", who.map((one) => approvers[one] ?? safeLine(one, 80)).join(", ")),
    fact("Arguments", ""),
    visibleSigns(json).split("\n").map((line) => `     ${line}\n`).join(""),
    ...(hosts.length === 0 ? [] : [fact("Links lead to", hosts.map(visibleLine).join(", "))]),
    ...files.map(({ path, sha256, size }) =>
      fact("File", `${visibleLine(path)} (${plural(size, "byte")}, SHA-256 ${sha256.slice(0, 12)}...)`)
    )
  ].join("")
}

/** The calls of a task, each whole. */
export const rowsText = (task: Task, paint: TextStyle): string => {
  const rows = rowsOf(task)
  return rows.length === 0
    ? "No call of this task has asked for approval.\n"
    : rows.map((row, at) => rowText(row, at + 1, paint)).join("\n")
}
