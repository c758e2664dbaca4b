import type { ArgumentTest } from "./ArgumentTest.ts"
import type { Rule, RuleCondition } from "./Policy.ts"

/** A rule as one reads it aloud: what is done with calls of which tool, when, and why. It ends with a full stop. */
export const ruleText = ({ because, effect, tool, when = {}, who }: Rule): string => {
  const what = toolText(tool)
  const done = effect === "ask" ? `Ask ${approversText(who)} before ${what}` : `${verbs[effect]} ${what}`
  const conditions = conditionTexts(when)
  const reason = because?.trim().replace(/[.\s]+$/, "") ?? ""
  return `${done}${conditions.length === 0 ? "" : ` if ${conditions.join(" and ")}`}${
    reason === "" ? "" : `, because ${beginsSmall(reason)}`
  }.`
}

const verbs = { allow: "Allow", deny: "Deny" } as const

const toolText = (tool: string): string => tool === "*" ? "every tool" : tool

/** Who may approve, in words. */
export const approversText = (who: Rule["who"] = ["requester", "admin"]): string => anyOf(who.map(approverText))

const approverText = (one: string): string =>
  one === "requester" ? "the requester" : one === "admin" ? "an owner or admin" : one

/** A first word in capitals, such as a name of letters, stays as it is. */
const beginsSmall = (text: string): string =>
  /^\p{Lu}\p{Ll}/u.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text

const anyOf = (texts: ReadonlyArray<string>): string =>
  texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} or ${texts.at(-1) ?? ""}`

const listOf = (value: string | ReadonlyArray<string>): ReadonlyArray<string> =>
  typeof value === "string" ? [value] : value

/** The terms of a condition, of which all must hold. */
const conditionTexts = (
  { agent, args, class: ofTool, context, project, requester, schedule, source }: RuleCondition
): ReadonlyArray<string> => {
  const term = (name: string, value: string | ReadonlyArray<string> | undefined): ReadonlyArray<string> =>
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

const testTexts = (name: string, test: ArgumentTest): ReadonlyArray<string> => [
  ...("is" in test ? [`${name} is ${JSON.stringify(test.is)}`] : []),
  ...(test.in === undefined ? [] : [`${name} is ${anyOf(test.in.map((one) => JSON.stringify(one)))}`]),
  ...(test.glob === undefined ? [] : [`${name} is like ${JSON.stringify(test.glob)}`]),
  ...(test.domain_in === undefined ? [] : [`${name} is in the domain ${anyOf(test.domain_in)}`]),
  ...(test.over === undefined ? [] : [`${name} is over ${test.over}`]),
  ...(test.under === undefined ? [] : [`${name} is under ${test.under}`])
]
