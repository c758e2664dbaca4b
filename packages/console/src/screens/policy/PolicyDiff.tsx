import { ruleText } from "@troupe/client/RuleText"
import { useNameOf } from "../../service/UserNames.ts"
import { type Draft, isSamePolicy } from "./PolicyContent.ts"

type Content = Omit<Draft, "revision">

interface Line {
  readonly sign: "+" | "−"
  readonly text: string
}

const linesOf = ({ classes, preset, rules }: Content, nameOf: (id: string) => string): ReadonlyArray<string> => [
  `The preset is ${preset}.`,
  ...rules.map((rule) => ruleText(rule, nameOf)),
  ...Object.entries(classes).map(([glob, ofTool]) => `${glob} is ${ofTool}.`)
]

/** The sentences that only one of the two has, the older ones first. */
export const diffOf = (before: Content, after: Content, nameOf: (id: string) => string): ReadonlyArray<Line> => {
  const [old, next] = [linesOf(before, nameOf), linesOf(after, nameOf)]
  const without = (lines: ReadonlyArray<string>, others: ReadonlyArray<string>) => {
    const left = [...others]
    return lines.filter((line) => {
      const at = left.indexOf(line)
      if (at >= 0) left.splice(at, 1)
      return at < 0
    })
  }
  return [
    ...without(old, next).map((text): Line => ({ sign: "−", text })),
    ...without(next, old).map((text): Line => ({ sign: "+", text }))
  ]
}

const names = { "+": "Added: ", "−": "Removed: " } as const

/** What differs between two policies, in sentences. */
export const PolicyDiff = ({ after, before, label }: {
  readonly before: Content
  readonly after: Content
  readonly label: string
}) => {
  const lines = diffOf(before, after, useNameOf())
  if (lines.length === 0) {
    return (
      <p className="text-muted">
        {isSamePolicy(before, after) ? "Nothing differs." : "Only the order of the rules differs."}
      </p>
    )
  }
  return (
    <ul aria-label={label} className="flex flex-col gap-0.5">
      {lines.map(({ sign, text }, at) => (
        <li key={at} className={`flex gap-2 rounded px-2 py-0.5 ${sign === "+" ? "bg-good-soft" : "bg-bad-soft"}`}>
          <span aria-hidden className={`font-mono ${sign === "+" ? "text-good" : "text-bad"}`}>{sign}</span>
          <span className="min-w-0 break-words">
            <span className="sr-only">{names[sign]}</span>
            {text}
          </span>
        </li>
      ))}
    </ul>
  )
}
