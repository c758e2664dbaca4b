const names = [
  "think",
  "thinking",
  "thought",
  "thoughts",
  "reasoning",
  "scratchpad",
  "seed:think",
  "mm:think",
  "antThinking"
]

/** What encloses thinking in a text: tags, and the special tokens of chat templates. */
const marks: ReadonlyArray<readonly [open: string, close: string]> = [
  ...names.map((name) => [`<${name}>`, `</${name}>`] as const),
  ["[THINK]", "[/THINK]"],
  ["◁think▷", "◁/think▷"],
  ["<|START_THINKING|>", "<|END_THINKING|>"],
  ["<|begin_of_thought|>", "<|end_of_thought|>"],
  ["<|channel|>analysis<|message|>", "<|channel|>final<|message|>"],
  ["<|channel>thought", "<channel|>"]
]

const patternOf = (text: string): string => text.replaceAll(/[|[\]]/g, "\\$&")
const closings = marks.map(([open, close]) => ({ open, pattern: new RegExp(patternOf(close), "i") }))
const openings = marks.map(([open, close]) => ({ close, pattern: new RegExp(patternOf(open), "i") }))
const anyClosing = new RegExp(marks.map(([, close]) => patternOf(close)).join("|"), "gi")
const longestMark = Math.max(...marks.flat().map((mark) => mark.length))

const beginsWith = (text: string, mark: string): boolean =>
  text.slice(0, mark.length).toLowerCase() === mark.toLowerCase()

const openingOf = (text: string) => closings.find(({ open }) => beginsWith(text, open))

/** Also of a fence, as no thinking begins inside of code. */
const mayBecomeMark = (text: string): boolean =>
  marks.some(([open]) => beginsWith(open, text)) || beginsWith("```", text)

const code = /```[^]*?```|`[^`\n]+`/g

/** The text is about a mark that is in quotes or within a sentence. */
const isMentioned = (text: string, at: number, end: number): boolean =>
  /(?:[^\s.!?:…][ \t]|["'“‘(])$/u.test(text.slice(Math.max(0, at - 2), at))
  && /^(?:$|[ \t,.;:!?)"'”’])/u.test(text.slice(end, end + 1))

/** Whether code has begun before the end of the text, which ends later or never. */
const mayBeInCode = (text: string): boolean => text.replaceAll(code, "").includes("`")

/** The index after thinking that no mark opens, because the chat template has the opening one; null: there is none. */
const endOfUnopened = (text: string): { readonly at: number; readonly end: number } | null => {
  if (openingOf(text.trimStart()) !== undefined || text.search(anyClosing) < 0) return null
  const opened = new Map(openings.map(({ close, pattern }) => [close.toLowerCase(), text.search(pattern)]))
  const inCode = text.matchAll(code)
  let span = inCode.next().value
  for (const { 0: close, index: at } of text.matchAll(anyClosing)) {
    while (span !== undefined && span.index + span[0].length <= at) span = inCode.next().value
    const openedAt = opened.get(close.toLowerCase()) ?? -1
    const isOpened = openedAt >= 0 && openedAt < at
    const isInCode = span !== undefined && span.index < at
    if (!isOpened && !isInCode && !isMentioned(text, at, at + close.length)) return { at, end: at + close.length }
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

/** Every mark has one of these. */
const markSign = /[<[◁]/

export const splitThinking = (whole: string): SplitText => {
  if (!markSign.test(whole)) return { text: whole, thinking: "", marks: "none" }
  const unopened = endOfUnopened(whole)
  const splitter = makeSplitter(unopened !== null)
  const text = splitter.take(unopened === null ? whole : whole.slice(unopened.end), true)
  const thoughts = [...unopened === null ? [] : [whole.slice(0, unopened.at)], ...splitter.thoughts]
  const thinking = thoughts.map((thought) => thought.trim()).filter((thought) => thought !== "").join("\n\n")
  return { text, thinking, marks: unopened !== null ? "unopened" : splitter.thoughts.length > 0 ? "both" : "none" }
}

/** How much of a text may be blank in front of an opening mark that is shown live. */
const maxBlank = 1_000
/** A text with more closing marks that end no thinking is about them, or repeats itself. */
const maxSearches = 10

/**
 * The answer's part of a text that arrives in pieces, for people who read it live. A text without an opening mark may be
 * thinking up to its end: as many characters of it are held back, unless it is certain before.
 */
export const makeLiveAnswer = (heldBack: number): (delta: string, isEnd: boolean) => string => {
  let held = ""
  let tail = ""
  let searches = 0
  let mayBeOpened = true
  let splitter = heldBack === 0 ? makeSplitter(false) : null

  /** The index up to which the text held is thinking; null: that is not certain. */
  const endOfThinking = (isEnd: boolean): number | null => {
    if (mayBeOpened) {
      const start = held.trimStart()
      if (openingOf(start) !== undefined) return 0
      mayBeOpened = mayBecomeMark(start) && held.length < maxBlank
    }
    if (isEnd) return endOfUnopened(held)?.end ?? 0
    if (tail.search(anyClosing) >= 0 && searches < maxSearches) {
      searches += 1
      const unopened = endOfUnopened(held)
      if (unopened !== null && !mayBeInCode(held.slice(0, unopened.at))) return unopened.end
    }
    return held.length > heldBack ? 0 : null
  }

  return (delta, isEnd) => {
    if (splitter !== null) return splitter.take(delta, isEnd)
    held += delta
    tail = (tail + delta).slice(-(delta.length + longestMark + 1))
    const end = endOfThinking(isEnd)
    if (end === null) return ""
    splitter = makeSplitter(end > 0)
    return splitter.take(held.slice(end), isEnd)
  }
}

/** Names of models whose chat templates open their thinking, so that only its closing mark is in the text. */
const unopened =
  /think|reason|deep|qwq|qwen-?3|glm|minimax|gemma-?4|kimi|nemotron|exaone|(?:^|[-_/:])(?:[a-z]?r1|z1|s1|ring|step)/i

/** How much of a text is held back while nothing but the model's name tells whether it may think without an opening mark. */
export const heldBackOf = (model: string): number => unopened.test(model) ? Number.POSITIVE_INFINITY : 200
