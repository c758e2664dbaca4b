import { Option, Predicate, Schema } from "effect"

/** How models and their chat templates mark a tool call. */
const mark = [
  "<(?:[\\w-]+:)?(?:tool_?calls?|tool_use|function_?calls?|functions?|tools?|tool_code|invoke)(?:[\\s=][^<>]*)?>",
  "<\\|/?(?:python_tag|plugin|action_start|START_ACTION|tool_calls?(?:_section)?(?:_begin)?)\\|?>",
  "<[|｜](?:DSML[|｜])?(?:tool▁|function_calls|tool_calls|invoke)[^<>]*>",
  "\\[TOOL_CALLS\\]",
  "(?:<\\|start\\|>\\s*assistant)?<\\|channel\\|>\\s*commentary\\s+to=",
  "functools(?=\\[)",
  "✿FUNCTION✿:"
].join("|")

/** Marks up to the name or the JSON of a call. DeepSeek's have the kind of call between them. */
const marks = new RegExp(`(?:${mark})(?:\\s|${mark}|<(?:tool_|function_)?name>|function(?=<[|｜]tool▁sep))*`, "gi")

const code = /```[^]*?(?:```|$)|`[^`\n]+`/g
const lastFence = /(?:^|\n)```([^\n`]*)\n([^`]*)```$/
const callFences = new Set(["", "json", "tool", "tool_call", "tool_code"])
const openingTag = /<([\w:-]+)(?:[\s=][^<>]*)?>/g
const closingTag = /<\/([\w:-]+)>/g
const jsonString = /"(?:[^"\\]|\\[^])*(?:"|$)/g
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

const wrappers = ["tool_calls", "tool_call", "function_calls", "function_call"]

/** One call or a list of them, with or without a wrapper, or several one after the other. */
const nameInJson = (text: string): string | undefined => {
  if (!/^[[{][^]*[\]}]$/.test(text)) return
  const value = Option.getOrUndefined(
    Option.orElse(parse(text), () => parse(`[${text.replaceAll(/\}[\s,;]*\{/g, "},{")}]`))
  )
  const [wrapper, ...others] = Predicate.isRecord(value) ? Object.keys(value) : []
  const isWrapped = wrapper !== undefined && others.length === 0 && wrappers.includes(wrapper)
  const calls = isWrapped && Predicate.isRecord(value) ? value[wrapper] : value
  const names = [calls].flat().map(nameInValue)
  return names.every((name) => name !== undefined) ? names[0] : undefined
}

/** As programs write calls; one in a list or printed is written by models that were taught so. */
const nameInProgram = (text: string): string | undefined =>
  (/^\[\s*([\w.-]+)\([^]*\)\s*\]$/.exec(text) ?? /^print\(\s*([\w.-]+)\([^]*\)\s*\)$/.exec(text)
    ?? /^([\w.-]+)\s*(?:\([^]*\)|\{[^]*\})$/.exec(text))?.[1]

/** The name after marks, in the JSON after them, or in the last of them. */
const nameAfter = (found: string, rest: string): string | undefined => {
  const inMark = /[=\s"']([\w.:-]+)["']?\s*>\s*$/.exec(found)?.[1]
  if (inMark !== undefined) return inMark
  return /^[[{]/.test(rest) ? namedInJson.exec(rest)?.[1] : /^["']?([\p{L}_][\w.:-]*)/u.exec(rest)?.[1]
}

/** The text without elements of markup. An expression would look for the end of each tag in the whole text. */
const withoutElements = (text: string): string => {
  const lastEnds = new Map(Array.from(text.matchAll(closingTag), ({ 1: name = "", index }) => [name, index]))
  const parts: Array<string> = []
  let from = 0
  for (const { 0: tag, 1: name = "", index } of text.matchAll(openingTag)) {
    const inner = index + tag.length
    if (index < from || (lastEnds.get(name) ?? -1) < inner) continue
    parts.push(text.slice(from, index))
    from = text.indexOf(`</${name}>`, inner) + name.length + 3
  }
  return parts.join("") + text.slice(from)
}

/** Nothing but the call follows, as far as its form tells. */
const isEnd = (call: string, left: string, isWhole: boolean): boolean =>
  (isWhole ? /[>}\])`]$/ : /[>}\]]$/).test(call)
  && (left === call || !words.test(left.replaceAll(jsonString, "")))

/** A text with more marks before a call is about them, or repeats itself. */
const maxMarks = 100

/** The first call decides: what is written about several forms ends with one, too. */
const nameInMarkup = (text: string, isKnown: (name: string) => boolean): string | undefined => {
  const inCode = [...text.matchAll(code)]
  let count = 0
  for (const { 0: found, index } of text.matchAll(marks)) {
    count += 1
    if (count > maxMarks) return undefined
    const rest = text.slice(index + found.length)
    const name = nameAfter(found, rest)
    if (name === undefined || inCode.some((part) => part.index <= index && index < part.index + part[0].length)) {
      continue
    }
    const call = text.slice(index)
    const left = withoutElements(call)
    const isWhole = index === 0
    // Some models go on with the results that they expect, on a line below.
    const isFollowed = isWhole && isKnown(name) && left !== call && /^[^\S\n]*\n/.test(left)
    return isFollowed || (isEnd(call, left, isWhole) && (isWhole || isKnown(name))) ? name : undefined
  }
  return undefined
}

/** As ReAct prompts teach it. */
const nameInReAct = (text: string): string | undefined =>
  /(?:^|\n)Action:[ \t]*([\w.-]+)[ \t]*\n+Action Input:[^]*$/i.exec(text)?.[1]

const plainName = (name: string): string =>
  name.replace(/^(?:(?:functions?|default_api|tools?)\.|call:)/, "").replace(/:\d+$|\.call$/, "")

/**
 * The name of the tool that a model called in the text of its answer instead of by the protocol; null: it called none. The
 * call is the whole answer, or its end, outside of code. An answer about such a form of calls is none.
 */
export const callAsText = (answer: string, tools: ReadonlyArray<string>): string | null => {
  const text = answer.trim()
  const isKnown = (name: string | undefined): name is string => name !== undefined && tools.includes(plainName(name))
  const [fence = "", language, fencedText = ""] = lastFence.exec(text) ?? []
  const isFenced = language !== undefined && callFences.has(language.trim())
  const alone = isFenced && fence.length === text.length ? fencedText.trim() : text
  const lastJson = isFenced ? fencedText.trim() : text.search(code) < 0 ? /\n([[{][^]*)$/.exec(text)?.[1] : undefined
  const named = [nameInJson(alone), nameInProgram(alone), nameInJson(lastJson ?? ""), nameInReAct(text)].find(isKnown)
    ?? nameInMarkup(text, isKnown)
  return named === undefined
    ? tools.find((name) => name.includes("_") && isElement(text, name)) ?? null
    : plainName(named)
}

/** The text, or its last lines, are an element of this name. */
const isElement = (text: string, name: string): boolean =>
  text.endsWith(`</${name}>`) && `\n${text.replaceAll(code, "")}`.includes(`\n<${name}>`)
