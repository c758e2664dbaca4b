import type { PolicyReport, Rule } from "@troupe/client"
import { parsedJson } from "../../service/ParsedJson.ts"

/** What can be changed of a policy, and the revision that it was made from. */
export type Draft = Pick<PolicyReport, "classes" | "preset" | "revision" | "rules">

const contentOf = ({ classes, preset, rules }: Omit<Draft, "revision">): string =>
  JSON.stringify([preset, rules, Object.entries(classes).toSorted(([one], [other]) => one < other ? -1 : 1)])

export const isSamePolicy = (one: Omit<Draft, "revision">, other: Omit<Draft, "revision">): boolean =>
  contentOf(one) === contentOf(other)

const isDraft = (value: unknown): value is Draft =>
  typeof value === "object" && value !== null && "rules" in value && Array.isArray(value.rules)
  && "classes" in value && typeof value.classes === "object" && value.classes !== null
  && "preset" in value && typeof value.preset === "string" && "revision" in value && typeof value.revision === "number"

/** What an earlier version may have stored is no draft. */
export const draftIn = (text: string): Draft | undefined => {
  const value = parsedJson(text)
  return isDraft(value) ? value : undefined
}

/** The reason why a rule never applies, as far as it is one that is saved. */
export const deadReason = ({ dead, rules }: Pick<PolicyReport, "dead" | "rules">, rule: Rule): string | undefined => {
  const text = JSON.stringify(rule)
  return dead.find(({ index }) => JSON.stringify(rules[index]) === text)?.reason
}

/** The list with the entry at a place moved to another one. */
export const moved = <A>(list: ReadonlyArray<A>, from: number, to: number): ReadonlyArray<A> => {
  const entry = list.slice(from, from + 1)
  const others = list.filter((_, at) => at !== from)
  return [...others.slice(0, to), ...entry, ...others.slice(to)]
}
