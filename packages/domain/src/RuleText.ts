import type { PolicyEffect } from "./Policy.ts"

type OneOf = string | ReadonlyArray<string> | undefined

interface Test {
  readonly is?: unknown
  readonly in?: ReadonlyArray<unknown> | undefined
  readonly glob?: string | undefined
  readonly domain_in?: ReadonlyArray<string> | undefined
  readonly over?: number | undefined
  readonly under?: number | undefined
}

interface Condition {
  readonly args?: Readonly<Record<string, Test>> | undefined
  readonly class?: OneOf
  readonly context?: OneOf
  readonly source?: OneOf
  readonly requester?: OneOf
  readonly agent?: OneOf
  readonly project?: OneOf
  readonly schedule?: OneOf
}

/** A `Rule`, also as clients have it, which know of no lists that must not be empty. */
interface ReadRule {
  readonly effect: PolicyEffect
  readonly tool: string
  readonly when?: Condition | undefined
  readonly who?: ReadonlyArray<string> | undefined
  readonly because?: string | undefined
}

/** A rule as one reads it aloud: what is done with calls of which tool, when, and why. `nameOf`: how a user is called, by the id. */
export const ruleText = (
  { because, effect, tool, when = {}, who }: ReadRule,
  nameOf: (id: string) => string = (id) => id
): string => {
  const what = toolText(tool)
  const done = effect === "ask" ? `Ask ${approversText(who, nameOf)} before ${what}` : `${verbs[effect]} ${what}`
  const conditions = conditionTexts(when)
  const reason = because?.trim().replace(/(?<![.\s])[.\s]+$/, "") ?? ""
  return `${done}${conditions.length === 0 ? "" : ` if ${conditions.join(" and ")}`}${
    reason === "" ? "" : `, because ${reason}`
  }.`
}

const verbs = { allow: "Allow", deny: "Deny" } as const

const toolText = (tool: string): string => tool === "*" ? "every tool" : tool

const approversText = (who: ReadRule["who"] = ["requester", "admin"], nameOf: (id: string) => string): string =>
  anyOf(who.map((one) => approvers[one] ?? nameOf(one)))

const approvers: Readonly<Record<string, string>> = { requester: "the requester", admin: "an owner or admin" }

const anyOf = (texts: ReadonlyArray<string>): string =>
  texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} or ${texts.at(-1) ?? ""}`

const listOf = (value: string | ReadonlyArray<string>): ReadonlyArray<string> =>
  typeof value === "string" ? [value] : value

/** The terms of a condition, of which all must hold. */
const conditionTexts = (
  { agent, args, class: ofTool, context, project, requester, schedule, source }: Condition
): ReadonlyArray<string> => {
  const term = (name: string, value: OneOf): ReadonlyArray<string> =>
    value === undefined ? [] : [`${name} is ${anyOf(listOf(value))}`]
  return [
    ...Object.entries(args ?? {}).flatMap(([pointer, test]) => testTexts(pointer === "" ? "its input" : pointer, test)),
    ...term("its class", ofTool),
    ...term("the context", context),
    ...term("the source", source),
    ...term("the requester", requester),
    ...term("the agent", agent),
    ...term("the project", project),
    ...term("the schedule", schedule)
  ]
}

const testTexts = (name: string, test: Test): ReadonlyArray<string> => [
  ...("is" in test ? [`${name} is ${JSON.stringify(test.is)}`] : []),
  ...(test.in === undefined ? [] : [`${name} is ${anyOf(test.in.map((one) => JSON.stringify(one)))}`]),
  ...(test.glob === undefined ? [] : [`${name} is like ${JSON.stringify(test.glob)}`]),
  ...(test.domain_in === undefined ? [] : [`${name} is in the domain ${anyOf(test.domain_in)}`]),
  ...(test.over === undefined ? [] : [`${name} is over ${test.over}`]),
  ...(test.under === undefined ? [] : [`${name} is under ${test.under}`])
]
