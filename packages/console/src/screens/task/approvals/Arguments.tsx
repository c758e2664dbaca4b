import { Button } from "../../../parts/Button.tsx"
import { numberText } from "../../../parts/Numbers.ts"
import { firstShown, hostsIn, textOf, visibleSigns } from "./ApprovalText.ts"

/** One argument of a call as it would be sent; of a long one the beginning, and how much follows. */
const Argument = ({ isWhole, name, onWhole, value }: {
  readonly name: string
  readonly value: unknown
  readonly isWhole: boolean
  readonly onWhole: () => void
}) => {
  const text = textOf(value)
  const hosts = hostsIn(text)
  const isCut = text.length > firstShown && !isWhole
  return (
    <div>
      <dt className="text-xs text-muted">{visibleSigns(name)}</dt>
      <dd>
        <pre className="rounded-md border bg-surface p-2 font-mono text-xs break-words whitespace-pre-wrap">
          {visibleSigns(isCut ? text.slice(0, firstShown) : text)}
        </pre>
        {isCut && (
          <p className="mt-1 flex flex-wrap items-center gap-2 text-xs text-wait">
            {numberText(text.length - firstShown)} more characters follow.
            <Button size="small" onClick={onWhole}>Show all</Button>
          </p>
        )}
        {hosts.length > 0 && (
          <p className="mt-1 text-xs break-words text-muted">Links lead to {hosts.map(visibleSigns).join(", ")}</p>
        )}
      </dd>
    </div>
  )
}

export const Arguments = ({ given, isWhole, onWhole }: {
  readonly given: Readonly<Record<string, unknown>>
  readonly isWhole: boolean
  readonly onWhole: () => void
}) => {
  const all = Object.entries(given)
  return all.length === 0
    ? <p className="text-muted">It has no arguments.</p>
    : (
      <dl aria-label="Arguments" className="flex flex-col gap-2">
        {all.map(([name, value]) => (
          <Argument key={name} name={name} value={value} isWhole={isWhole} onWhole={onWhole} />
        ))}
      </dl>
    )
}
