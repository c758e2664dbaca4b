import { isSameJson } from "./CanonicalJson.ts"

type Arguments = Readonly<Record<string, unknown>>

/** An earlier call of the same tool, about which a person has decided. */
export interface PastApproval {
  readonly arguments: Arguments
  readonly isApproved: boolean
}

/** How many calls back are looked at. */
export const lastCalls = 50

/** Approvals of equal calls after which a grant or a rule is proposed. */
const enough = 5

/** Equal approvals, which are also the calls that a grant for the same values would have covered. */
export interface EqualApprovals {
  /** The arguments that were equal, by their names; none: the calls have no arguments. */
  readonly same: ReadonlyArray<string>
  readonly approved: number
  /** The number of calls that were looked at. */
  readonly of: number
}

/** Whether an earlier call had the same values of these arguments. */
export const agrees = (same: ReadonlyArray<string>, given: Arguments, { arguments: before }: PastApproval): boolean =>
  same.every((name) => Object.hasOwn(before, name) && isSameJson(before[name], given[name]))

/**
 * The most arguments that were the same in enough approved calls as in this one, and in none that was denied; null: nothing is
 * proposed. `past`: the newest ones first.
 */
export const equalApprovals = (given: Arguments, past: ReadonlyArray<PastApproval>): EqualApprovals | null => {
  const last = past.slice(0, lastCalls)
  const names = Object.keys(given)
  const candidates = [
    ...last.map((call) => names.filter((name) => agrees([name], given, call))),
    ...names.map((name) => [name])
  ].filter((same) => same.length > 0 || names.length === 0).toSorted((one, other) => other.length - one.length)
  for (const same of candidates) {
    const equal = last.filter((call) => agrees(same, given, call))
    if (equal.length >= enough && equal.every(({ isApproved }) => isApproved)) {
      return { same, approved: equal.length, of: last.length }
    }
  }
  return null
}

/** What was equal, in words. */
export const sameText = (same: ReadonlyArray<string>): string =>
  same.length === 0
    ? "which has no arguments"
    : `with the same ${same.length === 1 ? same.join("") : `${same.slice(0, -1).join(", ")} and ${same.at(-1) ?? ""}`}`
