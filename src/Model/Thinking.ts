const names = ["think", "thinking", "thought", "thoughts", "reasoning", "scratchpad", "seed:think", "antThinking"]

/** What encloses thinking in a text: tags, and the special tokens of chat templates. */
const marks: ReadonlyArray<readonly [open: string, close: string]> = [
  ...names.map((name) => [`<${name}>`, `</${name}>`] as const),
  ["[THINK]", "[/THINK]"],
  ["◁think▷", "◁/think▷"],
  ["<|START_THINKING|>", "<|END_THINKING|>"],
  ["<|begin_of_thought|>", "<|end_of_thought|>"],
  ["<|channel|>analysis<|message|>", "<|channel|>final<|message|>"]
]

const patternOf = (text: string): string => text.replaceAll(/[|[\]]/g, "\\$&")
const closings = marks.map(([open, close]) => ({ open, pattern: new RegExp(patternOf(close), "i") }))
const anyClosing = new RegExp(marks.map(([, close]) => patternOf(close)).join("|"), "gi")
const longestMark = Math.max(...marks.flat().map((mark) => mark.length))

const beginsWith = (text: string, mark: string): boolean =>
  text.slice(0, mark.length).toLowerCase() === mark.toLowerCase()

const openingOf = (text: string) => closings.find(({ open }) => beginsWith(text, open))

/** Also of a fence, as no thinking begins inside of code. */
const mayBecomeMark = (text: string): boolean =>
  marks.some(([open]) => beginsWith(open, text)) || beginsWith("```", text)

const code = /```[^]*?```|`[^`\n]+`/g

/** The text is about a mark that is in code, in quotes or within a sentence. */
const isMentioned = (text: string, at: number, end: number): boolean =>
  /(?:[^\s.!?:…][ \t]|["'“‘(])$/u.test(text.slice(0, at)) && /^(?:$|[ \t,.;:!?)"'”’])/u.test(text.slice(end, end + 1))
  || [...text.matchAll(code)].some(({ 0: part, index }) => index < at && at < index + part.length)

/** Whether code has begun before the end of the text, which ends later or never. */
const mayBeInCode = (text: string): boolean => text.replaceAll(code, "").includes("`")

/** The index after thinking that no mark opens, because the chat template has the opening one; null: there is none. */
const endOfUnopened = (text: string): { readonly at: number; readonly end: number } | null => {
  if (openingOf(text.trimStart()) !== undefined) return null
  for (const { 0: close, index: at } of text.matchAll(anyClosing)) {
    const open = marks.find((pair) => beginsWith(close, pair[1]))?.[0] ?? ""
    const isOpened = text.slice(0, at).toLowerCase().includes(open.toLowerCase())
    if (!isOpened && !isMentioned(text, at, at + close.length)) return { at, end: at + close.length }
  }
  return null
}

/**
 * Separates thinking from the answer in a text that arrives in pieces. Thinking is what a mark encloses at the beginning of
 * the text, also where the closing mark is missing, or at the beginning of a line outside of code.
 */
const makeSplitter = (isAfterThinking: boolean) => {
  const thoughts: Array<string> = []
  let buffer = ""
  let place: "start" | "line" | "text" | "thought" = "start"
  let isStripped = isAfterThinking
  let isFenced = false
  let thought = { ...closings[0], text: "", isAtStart: true }

  const begin = (opening: NonNullable<ReturnType<typeof openingOf>>, rest: string, isAtStart: boolean) => {
    thought = { ...opening, text: "", isAtStart }
    buffer = rest.slice(opening.open.length)
    place = "thought"
  }

  /** Each answers with the next part of the answer; null: the rest of the text is needed to tell. */
  const steps = {
    start: (isEnd: boolean): string | null => {
      const rest = buffer.trimStart()
      const opening = openingOf(rest)
      if (opening === undefined && !isEnd && mayBecomeMark(rest)) return null
      if (opening !== undefined) begin(opening, rest, true)
      else {
        if (isStripped) buffer = rest
        place = "line"
      }
      return ""
    },
    line: (isEnd: boolean): string | null => {
      const rest = buffer.replace(/^[ \t]+/, "")
      const opening = isFenced ? undefined : openingOf(rest)
      if (opening === undefined && !isEnd && mayBecomeMark(rest)) return null
      if (opening !== undefined) begin(opening, rest, false)
      else {
        if (rest.startsWith("```")) isFenced = !isFenced
        place = "text"
      }
      return ""
    },
    text: (): string | null => {
      const end = buffer.indexOf("\n") + 1
      const part = end === 0 ? buffer : buffer.slice(0, end)
      buffer = buffer.slice(part.length)
      if (end > 0) place = "line"
      return part === "" ? null : part
    },
    thought: (isEnd: boolean): string | null => {
      const close = thought.pattern?.exec(buffer) ?? null
      if (close !== null) {
        thoughts.push(thought.text + buffer.slice(0, close.index))
        buffer = buffer.slice(close.index + close[0].length)
        isStripped = true
        place = "start"
        return ""
      }
      const settled = isEnd ? buffer.length : Math.max(0, buffer.length - longestMark)
      thought.text += buffer.slice(0, settled)
      buffer = buffer.slice(settled)
      if (!isEnd) return null
      place = "text"
      if (!thought.isAtStart) return `${thought.open}${thought.text}`
      thoughts.push(thought.text)
      return null
    }
  }

  const take = (delta: string, isEnd: boolean): string => {
    buffer += delta
    const parts: Array<string> = []
    for (;;) {
      if (buffer === "" && !(isEnd && place === "thought")) break
      const part = steps[place](isEnd)
      if (part === null) break
      parts.push(part)
    }
    return parts.join("")
  }
  return { take, thoughts }
}

/** An answer without the thinking that its text held. */
export interface SplitText {
  readonly text: string
  readonly thinking: string
  /** Of the thinking: with both, or without the opening one. */
  readonly marks: "both" | "none" | "unopened"
}

export const splitThinking = (whole: string): SplitText => {
  const unopened = endOfUnopened(whole)
  const splitter = makeSplitter(unopened !== null)
  const text = splitter.take(unopened === null ? whole : whole.slice(unopened.end), true)
  const thoughts = [...unopened === null ? [] : [whole.slice(0, unopened.at)], ...splitter.thoughts]
  const thinking = thoughts.map((thought) => thought.trim()).filter((thought) => thought !== "").join("\n\n")
  return { text, thinking, marks: unopened !== null ? "unopened" : splitter.thoughts.length > 0 ? "both" : "none" }
}

/**
 * The answer's part of a text that arrives in pieces, for people who read it live. With `mayBeUnopened` nothing is shown
 * until it is certain that the text so far is no thinking, which may be at its end.
 */
export const makeLiveAnswer = (mayBeUnopened: boolean): (delta: string, isEnd: boolean) => string => {
  let held = ""
  let splitter = mayBeUnopened ? null : makeSplitter(false)
  return (delta, isEnd) => {
    if (splitter !== null) return splitter.take(delta, isEnd)
    held += delta
    const isNews = isEnd || held.slice(-(delta.length + longestMark + 1)).search(anyClosing) >= 0
    const unopened = isNews ? endOfUnopened(held) : null
    const isCertain = isEnd || openingOf(held.trimStart()) !== undefined
      || unopened !== null && !mayBeInCode(held.slice(0, unopened.at))
    if (!isCertain) return ""
    splitter = makeSplitter(unopened !== null)
    return splitter.take(unopened === null ? held : held.slice(unopened.end), isEnd)
  }
}
