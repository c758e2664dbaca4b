import { plural } from "../../../parts/Plural.ts"
import { parsedJson } from "../../../service/ParsedJson.ts"
import type { Work } from "./ThreadItem.ts"

/** Entries of one kind in a run of work. */
export interface WorkGroup {
  readonly kind: string
  /** What was done, in words: `wrote 6 files`. */
  readonly text: string
  readonly entries: ReadonlyArray<Work>
}

const done: Readonly<Record<string, (count: number) => string>> = {
  attach_file: (count) => `attached ${plural(count, "file")}`,
  convert_markdown_to_docx: (count) => `made ${plural(count, "Word document")}`,
  list_directory: (count) => `listed ${plural(count, "folder")}`,
  memory_save: (count) => `saved ${count === 1 ? "1 memory" : `${count} memories`}`,
  memory_search: (count) => `searched the memory${times(count)}`,
  read_document: (count) => `read ${plural(count, "document")}`,
  read_file: (count) => `read ${plural(count, "file")}`,
  run_skill_script: (count) => `ran ${plural(count, "script")}`,
  send_email: (count) => `sent ${plural(count, "mail")}`,
  thought: (count) => `thought${times(count)}`,
  wait: (count) => `waited${times(count)}`,
  write_file: (count) => `wrote ${plural(count, "file")}`
}

/** What a call that did not succeed was about. */
const toBeDone: Partial<Readonly<Record<string, string>>> = {
  attach_file: "attaching a file",
  convert_markdown_to_docx: "making a Word document",
  list_directory: "listing a folder",
  memory_save: "saving a memory",
  memory_search: "searching the memory",
  read_document: "reading a document",
  read_file: "reading a file",
  run_skill_script: "running a script",
  send_email: "sending a mail",
  wait: "waiting",
  write_file: "writing a file"
}

const times = (count: number): string => count === 1 ? "" : count === 2 ? " twice" : ` ${count} times`

/** A tool of a server has its server's name before its own. */
const usedTool = (name: string, count: number): string => {
  const [server = "", ...rest] = name.split("__")
  return rest.length === 0 ? `used ${name}${times(count)}` : `used ${rest.join("__")} of ${server}${times(count)}`
}

const kindOf = (entry: Work): string => entry._tag === "thought" ? "thought" : entry.name

export const isFailed = (entry: Work): boolean => entry._tag === "call" && entry.result?.startsWith("Error:") === true

const isUnfinished = (entry: Work): boolean => entry._tag === "call" && entry.result === null

const textOf = (kind: string, entries: ReadonlyArray<Work>): string => {
  const failed = entries.filter(isFailed).length
  const unfinished = entries.filter(isUnfinished).length
  // A call that failed, or runs or waits, did nothing of what the words say.
  const count = entries.length - failed - unfinished
  const others = [
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(unfinished === 0 ? [] : [`${unfinished} not finished`])
  ].join(", ")
  const say = (count: number) => Object.hasOwn(done, kind) ? done[kind]?.(count) ?? kind : usedTool(kind, count)
  if (others === "") return say(count)
  if (count > 0) return `${say(count)} (${others})`
  const name = Object.hasOwn(toBeDone, kind) ? toBeDone[kind] ?? kind : kind
  return unfinished === 0
    ? `${name} failed${times(failed)}`
    : failed === 0
    ? `${name} not finished`
    : `${name} (${others})`
}

/** What a run of work did, by kind, in the order in which each kind came first. */
export const groupsOf = (entries: ReadonlyArray<Work>): ReadonlyArray<WorkGroup> => {
  const byKind = new Map<string, Array<Work>>()
  for (const entry of entries) {
    const kind = kindOf(entry)
    const same = byKind.get(kind)
    if (same === undefined) byKind.set(kind, [entry])
    else same.push(entry)
  }
  return [...byKind].map(([kind, entries]) => ({ kind, entries, text: textOf(kind, entries) }))
}

/** What says most about a call in one line: its path, address, subject, question or query, else its first text. */
const telling = ["path", "url", "subject", "query", "command", "script", "name", "title", "content"]

export const subjectOf = (args: string | null): string => {
  const value = args === null ? undefined : parsedJson(args)
  if (typeof value !== "object" || value === null) return ""
  const texts = Object.entries(value).filter((one): one is [string, string] => typeof one[1] === "string")
  const found = telling.flatMap((key) => texts.filter(([name]) => name === key))[0] ?? texts[0]
  return found?.[1].split("\n", 1)[0]?.slice(0, 200) ?? ""
}
