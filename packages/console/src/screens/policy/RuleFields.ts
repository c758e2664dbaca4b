import type { ArgumentTest, Rule } from "@troupe/client"

export const operators = {
  is: "is",
  in: "is one of",
  glob: "is like",
  domain_in: "is in the domain",
  over: "is over",
  under: "is under"
} as const
export type Operator = keyof typeof operators

export const isOperator = (text: string): text is Operator => text in operators

/** A test of an argument as it is typed. */
export interface ArgumentFields {
  readonly pointer: string
  readonly operator: Operator
  readonly value: string
}

/** The terms of `when` that are chosen of a list. */
export const choices = {
  class: ["read", "own", "outside", "destructive"],
  context: ["trusted", "outside"],
  source: ["api", "chat", "email", "schedule", "webhook"],
  requester: ["owner", "admin", "member", "guest", "unknown", "system"]
} as const
type Chosen = keyof typeof choices

/** Those that are typed, several with a comma between them. */
export const typedTerms = ["agent", "project", "schedule"] as const

export interface RuleFields {
  readonly effect: Rule["effect"]
  readonly tool: string
  readonly because: string
  readonly who: ReadonlyArray<string>
  readonly args: ReadonlyArray<ArgumentFields>
  readonly chosen: Readonly<Record<Chosen, ReadonlyArray<string>>>
  readonly typed: Readonly<Record<(typeof typedTerms)[number], string>>
}

export const emptyRule: RuleFields = {
  effect: "ask",
  tool: "",
  because: "",
  who: ["requester", "admin"],
  args: [],
  chosen: { class: [], context: [], source: [], requester: [] },
  typed: { agent: "", project: "", schedule: "" }
}

const listOf = (value: string | ReadonlyArray<string> | undefined): ReadonlyArray<string> =>
  value === undefined ? [] : typeof value === "string" ? [value] : value

/** JSON where it is needed to tell a text from a number. */
const valueText = (value: unknown): string =>
  typeof value === "string" && parsed(value) === value && !value.includes(",") ? value : JSON.stringify(value)

/** A text that is no JSON is itself. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const partsOf = (text: string): ReadonlyArray<string> =>
  text.split(",").map((part) => part.trim()).filter((part) => part !== "")

/** The values of a list: JSON of all, or with a comma between them. */
const listIn = (text: string): ReadonlyArray<unknown> => {
  const whole = text.trim().startsWith("[") ? parsed(text) : undefined
  return Array.isArray(whole) ? whole : partsOf(text).map(parsed)
}

const testTexts = (test: ArgumentTest): ReadonlyArray<readonly [Operator, string]> => [
  ...("is" in test ? [["is", valueText(test.is)] as const] : []),
  ...(test.in === undefined ? [] : [["in", listText(test.in)] as const]),
  ...(test.glob === undefined ? [] : [["glob", test.glob] as const]),
  ...(test.domain_in === undefined ? [] : [["domain_in", test.domain_in.join(", ")] as const]),
  ...(test.over === undefined ? [] : [["over", String(test.over)] as const]),
  ...(test.under === undefined ? [] : [["under", String(test.under)] as const])
]

const listText = (values: ReadonlyArray<unknown>): string =>
  values.every((value) => typeof value === "string" && !/[,[\]"]/.test(value) && parsed(value) === value)
    ? values.join(", ")
    : JSON.stringify(values)

export const fieldsOf = ({ because = "", effect, tool, when = {}, who }: Rule): RuleFields => ({
  effect,
  tool,
  because,
  who: who ?? emptyRule.who,
  args: Object.entries(when.args ?? {}).flatMap(([pointer, test]) =>
    testTexts(test).map(([operator, value]) => ({ pointer, operator, value }))
  ),
  chosen: {
    class: listOf(when.class),
    context: listOf(when.context),
    source: listOf(when.source),
    requester: listOf(when.requester)
  },
  typed: {
    agent: listOf(when.agent).join(", "),
    project: listOf(when.project).join(", "),
    schedule: listOf(when.schedule).join(", ")
  }
})

/** `to` is `/to`. */
const pointerOf = (text: string): string => {
  const pointer = text.trim()
  return pointer === "" || pointer.startsWith("/") ? pointer : `/${pointer}`
}

/** What is wrong with a test of an argument, by the texts that were typed. */
export const argumentFault = ({ operator, pointer, value }: ArgumentFields): string | undefined =>
  pointer.trim() === ""
    ? "Name the argument, such as /to."
    : /~(?![01])/.test(pointer)
    ? "Write ~0 for ~ and ~1 for / in a name."
    : value.trim() === ""
    ? "What must it be?"
    : (operator === "over" || operator === "under") && !Number.isFinite(Number(value))
    ? "It must be a number."
    : undefined

const testOf = ({ operator, value }: ArgumentFields): ArgumentTest => {
  switch (operator) {
    case "is":
      return { is: parsed(value.trim()) }
    case "in":
      return { in: listIn(value) }
    case "glob":
      return { glob: value }
    case "domain_in":
      return { domain_in: partsOf(value) }
    case "over":
      return { over: Number(value) }
    case "under":
      return { under: Number(value) }
  }
}

const argsOf = (args: ReadonlyArray<ArgumentFields>): Record<string, ArgumentTest> => {
  const tests: Record<string, ArgumentTest> = {}
  for (const field of args) {
    const pointer = pointerOf(field.pointer)
    tests[pointer] = { ...tests[pointer], ...testOf(field) }
  }
  return tests
}

/** One value as such, as people write rules by hand. */
const oneOrMore = <A>(values: ReadonlyArray<A>): A | ReadonlyArray<A> | undefined => {
  const [first, another] = values
  return another === undefined ? first : values
}

const pick = <A extends string>(names: ReadonlyArray<A>, chosen: ReadonlyArray<string>) =>
  oneOrMore(names.filter((name) => chosen.includes(name)))

const withoutUndefined = <A extends object>(given: A): { [K in keyof A]?: Exclude<A[K], undefined> } =>
  Object.assign(
    {},
    ...Object.entries(given).filter(([, value]) => value !== undefined).map(([key, value]) => ({ [key]: value }))
  )

/** What all of it means; an empty term is left out, and the usual approvers too. */
export const ruleOf = ({ args, because, chosen, effect, tool, typed, who }: RuleFields): Rule => {
  const when = withoutUndefined({
    args: args.length === 0 ? undefined : argsOf(args),
    class: pick(choices.class, chosen.class),
    context: pick(choices.context, chosen.context),
    source: pick(choices.source, chosen.source),
    requester: pick(choices.requester, chosen.requester),
    agent: oneOrMore(partsOf(typed.agent)),
    project: oneOrMore(partsOf(typed.project)),
    schedule: oneOrMore(partsOf(typed.schedule))
  })
  const isUsual = who.length === emptyRule.who.length && emptyRule.who.every((one) => who.includes(one))
  return {
    effect,
    tool: tool.trim(),
    ...(Object.keys(when).length === 0 ? {} : { when }),
    ...(effect !== "ask" || isUsual ? {} : { who: [...who] }),
    ...(because.trim() === "" ? {} : { because: because.trim() })
  }
}
