import { Option } from "effect"
import { type AskedCall, parseObject } from "./Completion.ts"
import type { Fields } from "./ReturnedParts.ts"

/** A tool call, or a fragment of one in a stream. What the server left out is empty. */
export interface CallFragment extends AskedCall {
  readonly index: unknown
  /** Fields that the protocol does not define. */
  readonly fields: Fields
}

type Slot = { -readonly [Name in keyof CallFragment]: CallFragment[Name] }

const isBlank = (given: unknown): boolean =>
  given === undefined || given === null || typeof given === "string" && given.trim() === ""

/** Nothing can be added to such arguments. */
const isWhole = (given: unknown): boolean =>
  typeof given === "string" ? given.trimEnd().endsWith("}") && Option.isSome(parseObject(given)) : !isBlank(given)

/** The calls of an answer, put together from fragments. The names of the tools decide where fragments are ambiguous. */
export const gatherCalls = (tools: ReadonlySet<string>) => {
  const slots: Array<Slot> = []

  const openedSlot = ({ id, index, name }: CallFragment, position: number, chunk: number): Slot | undefined => {
    const sameId = id === "" ? undefined : slots.findLast((slot) => slot.id === id)
    if (index !== undefined && index !== null) {
      const last = id === "" && name === "" ? slots.at(-1) : undefined
      return slots.findLast((slot) => slot.index === index) ?? sameId ?? last
    }
    return sameId ?? (id === "" && name === "" && chunk > 1 ? slots[position] : slots.at(-1))
  }

  const continues = (slot: Slot, { arguments: given, id, name }: CallFragment): boolean => {
    if (name === "") return true
    const isOtherCall = id !== "" && slot.id !== "" && id !== slot.id
    if (isWhole(slot.arguments)) {
      return !isOtherCall && name === slot.name
        && (isBlank(given) || given === slot.arguments || id !== "" && isPlaceholder(slot.arguments))
    }
    if (slot.name === "" || name === slot.name) return !isOtherCall || name === slot.name
    const isPiece = !tools.has(slot.name) && tools.has(slot.name + name)
    if (isOtherCall) return isPiece && !tools.has(name)
    if (id !== "" && id === slot.id || isPiece) return true
    return isBlank(slot.arguments) && !(tools.has(slot.name) && tools.has(name))
  }

  const nameAfter = (name: string, piece: string): string => {
    const joined = name + piece
    if (piece === name) return tools.has(joined) && !tools.has(name) ? joined : name
    return piece.startsWith(name) && !tools.has(joined) ? piece : joined
  }

  const open = (fragment: CallFragment) => void slots.push({ ...fragment })

  return {
    calls: slots,
    /** A call that is complete. */
    add: open,
    /** A fragment at a position among those of one chunk. */
    take: (fragment: CallFragment, position: number, chunk: number): void => {
      const { arguments: given, id, name } = fragment
      const slot = openedSlot(fragment, position, chunk)
      if (slot === undefined && id === "" && name === "" && isBlank(given)) return
      if (slot === undefined || !continues(slot, fragment)) return open(fragment)
      slot.id ||= id
      slot.name = nameAfter(slot.name, name)
      slot.arguments = argumentsAfter(slot.arguments, given)
      slot.fields = { ...slot.fields, ...fragment.fields }
    }
  }
}

/** Some servers send an empty object first, and the arguments after it. */
const isPlaceholder = (given: unknown): boolean => typeof given === "string" && /^\s*\{\s*\}\s*$/.test(given)

const argumentsAfter = (before: unknown, more: unknown): unknown => {
  if (isBlank(more) && !(typeof before === "string" && typeof more === "string")) return before
  if (typeof before !== "string" || typeof more !== "string") return more
  const isRepeated = more === before && isWhole(before)
  return isRepeated ? before : isPlaceholder(before) && /^\s*\{/.test(more) ? more : before + more
}
