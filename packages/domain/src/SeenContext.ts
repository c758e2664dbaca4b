import type { PolicyContext } from "./PolicyDecision.ts"
import { type FileVersion, mergedShown, type Shown } from "./Shown.ts"
import type { Step } from "./Step.ts"
import { requestedText } from "./Text.ts"
import { trustedIn } from "./TrustedText.ts"

/** What the model has seen so far: a fold over the journal. It never returns to `trusted`. */
export interface SeenContext {
  /** The step that showed the first thing from outside, and what it was. 0: the request itself. */
  readonly outside: { readonly since: number; readonly because: string } | null
  /** The step that showed the first private thing. */
  readonly privateSince: number | null
  /** What people with a right to the task wrote in it. */
  readonly texts: ReadonlyArray<string>
  /** Digests by path of the files that the task wrote while its context was trusted. */
  readonly written: ReadonlyMap<string, string>
}

export const unseen: SeenContext = { outside: null, privateSince: null, texts: [], written: new Map() }

/** The context in which a task begins. */
export const openingContext = (shown: Shown, texts: ReadonlyArray<string>): SeenContext =>
  showing({ ...unseen, texts }, shown, 0)

export const isOutside = ({ outside }: SeenContext): boolean => outside !== null

export const policyContextOf = ({ outside, privateSince }: SeenContext): PolicyContext => ({
  kind: outside === null ? "trusted" : "outside",
  isPrivate: privateSince !== null
})

/** What a task made in this context shows from its beginning on, such as a subtask or a continuation. */
export const passedOn = ({ outside, privateSince }: SeenContext): Shown => ({
  ...(outside === null ? {} : { outside: outside.because }),
  ...(privateSince === null ? {} : { private: true })
})

/** The context after a step, which is the task's `seq`th. */
export const contextAfter = (context: SeenContext, step: Step, seq: number): SeenContext => {
  switch (step.kind) {
    case "model":
      return step.shown === undefined ? context : showing(context, step.shown, seq)
    case "prepared":
      return step.memories === undefined
        ? context
        : showing(context, mergedShown([{ private: true }, ...step.memories.map(shownByMemory)]), seq)
    case "steered": {
      const shown = mergedShown(
        step.messages.map(({ text, trusted }) =>
          trusted === true ? shownByText(text) : { outside: "a message of somebody without a right to the task" }
        )
      )
      return saying(showing(context, shown, seq), step)
    }
    case "results": {
      const after = saying(showing(context, step.shown ?? shownByOld(step), seq), step)
      return step.written === undefined || after.outside !== null
        ? after
        : {
          ...after,
          written: new Map([...after.written, ...step.written.map(({ digest, path }) => [path, digest] as const)])
        }
    }
    default:
      return context
  }
}

/** Of a text that one of the task's people wrote or sent on. */
export const shownByText = (text: string): Shown =>
  requestedText(text) === text.replaceAll(/\r\n?/g, "\n").trim() ? {} : { outside: "quoted or forwarded words" }

const shownByMemory = ({ origin }: { readonly origin?: "outside" | undefined }): Shown =>
  origin === undefined ? {} : { outside: "a memory of a task that had read something from outside" }

const showing = (context: SeenContext, { outside, private: isPrivate }: Shown, seq: number): SeenContext => ({
  ...context,
  outside: context.outside ?? (outside === undefined ? null : { since: seq, because: outside }),
  privateSince: context.privateSince ?? (isPrivate === true ? seq : null)
})

const saying = (context: SeenContext, step: Step): SeenContext => {
  const said = trustedIn(step)
  return said.length === 0 ? context : { ...context, texts: [...context.texts, ...said] }
}

/** Of steps that were journalled before origins were: results of tool servers, scripts and documents are from outside. */
const shownByOld = (step: Step & { readonly kind: "results" }): Shown => {
  if (step.decided !== undefined) return {}
  const other = step.results.find(({ message: { content, name } }) =>
    (name.includes("__") || oldOutside.includes(name)) && !content.startsWith("Error:")
  )
  return other === undefined ? {} : { outside: `the result of ${other.message.name}`, private: true }
}

const oldOutside = ["run_skill_script", "read_document"]

/** Whether the task itself wrote this version of the file, in a trusted context. */
export const hasWritten = ({ written }: SeenContext, { digest, path }: FileVersion): boolean =>
  written.get(path) === digest

/** Whether people with a right to the task wrote each value of the arguments, so that they named what the call gets. */
export const isNamed = ({ texts }: Pick<SeenContext, "texts">, args: unknown): boolean => {
  const values = leavesOf(args)
  const said = texts.map((text) => text.toLowerCase())
  return values.length > 0 && values.every((value) => said.some((text) => hasWord(text, value)))
}

/** A value inside of a longer word or number is not named. */
const hasWord = (text: string, value: string): boolean => {
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    const before = text.charAt(at - 1)
    const after = text.charAt(at + value.length)
    if (!isWordSign(before) && !isWordSign(after)) return true
  }
  return false
}

const isWordSign = (sign: string): boolean => /^[\p{L}\p{N}]$/u.test(sign)

const leavesOf = (value: unknown): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap(leavesOf)
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(leavesOf)
  if (typeof value === "string") return value.trim() === "" ? [] : [value.trim().toLowerCase()]
  return typeof value === "number" ? [String(value)] : []
}
