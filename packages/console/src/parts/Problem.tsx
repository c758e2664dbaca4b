import { ConnectionFailed, TroupeError } from "@troupe/client"
import { Button } from "./Button.tsx"
import { TriangleAlert } from "./Icons.ts"

/** What went wrong, in the words of the service. */
export const problemText = (error: unknown): string =>
  error instanceof ConnectionFailed
    ? "The service can't be reached. Check that it runs."
    : error instanceof Error
    ? error.message
    : "Something unknown went wrong."

/** Whether each of its messages is shown at one of these fields, or a part of it. */
const isAtFields = (error: unknown, fields: ReadonlyArray<string>): boolean =>
  error instanceof TroupeError && error.errors.length > 0
  && error.errors.every(({ path }) => fields.some((field) => path === field || path.startsWith(`${field}.`)))

/** An error beside what it concerns, with the way on. Only a fault of the service has the id of the request, to report it. */
export const Problem = ({ error, fields = [], onRetry, title }: {
  readonly error: unknown
  /** The fields that show their errors themselves, so that no text is there twice. */
  readonly fields?: ReadonlyArray<string>
  readonly title?: string
  readonly onRetry?: () => void
}) => (
  <div role="alert" className="flex items-start gap-2 rounded-md border border-bad/40 bg-bad-soft px-3 py-2">
    <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
    <div className="min-w-0 flex-1">
      {title !== undefined && <p className="font-medium">{title}</p>}
      <p className="break-words">
        {isAtFields(error, fields) ? "Correct the marked fields." : problemText(error)}
      </p>
      {error instanceof TroupeError && error.status >= 500 && error.instance !== "" && (
        <p className="text-xs text-muted">
          Request <code className="font-mono">{error.instance}</code>
        </p>
      )}
    </div>
    {onRetry !== undefined && <Button size="small" onClick={onRetry}>Try again</Button>}
  </div>
)
