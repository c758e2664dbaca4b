import { Option, Predicate, Schema } from "effect"

/** How models and their chat templates mark a tool call. */
const mark = [
  "<(?:[\\w-]+:)?(?:tool_?calls?|tool_use|function_?calls?|functions?|tools?|tool_code|invoke)(?:[\\s=][^<>]*)?>",
  "<\\|/?(?:python_tag|plugin|action_start|START_ACTION|tool_calls?(?:_section)?(?:_begin)?)\\|?>",
  "<[|｜](?:DSML[|｜])?(?:tool▁|function_calls|tool_calls|invoke)[^<>]*>",
  "\\[TOOL_CALLS\\]",
  "(?:<\\|start\\|>\\s*assistant)?<\\|channel\\|>\\s*commentary\\s+to=",
  "functools(?=\\[)"
].join("|")

/** Marks up to the name or the JSON of a call. DeepSeek's have the kind of call between them. */
const marks = new RegExp(`(?:${mark})(?:\\s|${mark}|<(?:tool_|function_)?name>|function(?=<[|｜]tool▁sep))*`, "gi")

const code = /```[^]*?(?:```|$)|`[^`\n]+`/g
const fence = /^```([^\n`]*)\n([^]*?)\n?```$/
const callFences = new Set(["", "json", "tool", "tool_call", "tool_code"])
const closedBlock = /<([\w:-]+)(?:[\s=][^<>]*)?>[^]*?<\/\1>/g
const jsonString = /"(?:[^"\\]|\\[^])*"/g
const words = /(?<!\p{L})\p{L}+[,;]? \p{L}+[,;]? \p{L}+/u

const nameFields = ["name", "tool", "tool_name", "function", "function_name", "action", "recipient_name"]
const argumentFields = ["arguments", "parameters", "args", "input", "params", "action_input", "tool_input", "kwargs"]
const callFields = new Set([...nameFields, ...argumentFields, "id", "type", "index", "call_id"])
const namedInJson = new RegExp(`"(?:${nameFields.join("|")})"\\s*:\\s*"([^"]+)"`)

const parse = Schema.decodeUnknownOption(Schema.parseJson())

/** JSON with other fields than a call has is the definition of a tool, or a record of something. */
const nameInValue = (value: unknown): string | undefined => {
  if (!Predicate.isRecord(value) || !Object.keys(value).every((name) => callFields.has(name))) return
  const called = value["function"]
  if (Predicate.isRecord(called)) return nameInValue(called)
  if (!argumentFields.some((name) => name in value)) return
  return nameFields.map((name) => value[name]).find(Predicate.isString)
}

const nameInJson = (text: string): string | undefined => {
  if (!/^[[{][^]*[\]}]$/.test(text)) return
  const value = Option.getOrUndefined(parse(text))
  const calls = Predicate.hasProperty(value, "tool_calls") && Object.keys(value).length === 1 ? value.tool_calls : value
  const names = [calls].flat().map(nameInValue)
  return names.every((name) => name !== undefined) ? names[0] : undefined
}

const nameInPython = (text: string): string | undefined =>
  (/^\[\s*([\w.-]+)\([^]*\)\s*\]$/.exec(text) ?? /^print\(\s*([\w.-]+)\([^]*\)\s*\)$/.exec(text))?.[1]

/** The name after marks, in the JSON after them, or in the last of them. */
const nameAfter = (found: string, rest: string): string | undefined => {
  const inMark = /[=\s"']([\w.:-]+)["']?\s*>\s*$/.exec(found)?.[1]
  if (inMark !== undefined) return inMark
  return /^[[{]/.test(rest) ? namedInJson.exec(rest)?.[1] : /^["']?([\p{L}_][\w.:-]*)/u.exec(rest)?.[1]
}

/** Nothing but the call follows, as far as its form tells. */
const isEnd = (found: string, rest: string, isWhole: boolean): boolean => {
  const call = (found + rest).trimEnd()
  if (!(isWhole ? /[>}\])`]$/ : /[>}\]]$/).test(call)) return false
  const left = call.replaceAll(closedBlock, "")
  return left === call || !words.test(left.replaceAll(jsonString, ""))
}

/** The first call decides: what is written about several forms ends with one, too. */
const nameInMarkup = (text: string, isKnown: (name: string) => boolean): string | undefined => {
  const inCode = [...text.matchAll(code)]
  for (const { 0: found, index } of text.matchAll(marks)) {
    const rest = text.slice(index + found.length)
    const name = nameAfter(found, rest)
    if (name === undefined || inCode.some((part) => part.index <= index && index < part.index + part[0].length)) {
      continue
    }
    return isEnd(found, rest, index === 0) && (index === 0 || isKnown(name)) ? name : undefined
  }
  return undefined
}

/** As ReAct prompts teach it. */
const nameInReAct = (text: string): string | undefined =>
  /(?:^|\n)Action:[ \t]*([\w.-]+)[ \t]*\n+Action Input:[^]*$/i.exec(text)?.[1]

const plainName = (name: string): string =>
  name.replace(/^(?:functions?|default_api|tools?)\./, "").replace(/:\d+$|\.call$/, "")

/**
 * The name of the tool that a model called in the text of its answer instead of by the protocol; null: it called none. The
 * call is the whole answer, or its end, outside of code. An answer about such a form of calls is none.
 */
export const callAsText = (answer: string, tools: ReadonlyArray<string>): string | null => {
  const text = answer.trim()
  const isKnown = (name: string | undefined): name is string => name !== undefined && tools.includes(plainName(name))
  const [, language, fencedText] = fence.exec(text) ?? []
  const alone = language !== undefined && callFences.has(language) ? fencedText?.trim() ?? "" : text
  const lastJson = text.search(code) < 0 ? /\n([[{][^]*)$/.exec(text)?.[1] : undefined
  const named = [nameInJson(alone), nameInPython(alone), nameInJson(lastJson ?? ""), nameInReAct(text)].find(isKnown)
    ?? nameInMarkup(text, isKnown)
  if (named !== undefined) return plainName(named)
  return tools.find((name) => name.includes("_") && text.startsWith(`<${name}>`) && text.endsWith(`</${name}>`)) ?? null
}
