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

/** An error beside what it concerns, with the way on. */
export const Problem = ({ error, onRetry, title }: {
  readonly error: unknown
  readonly title?: string
  readonly onRetry?: () => void
}) => (
  <div role="alert" className="flex items-start gap-2 rounded-md border border-bad/40 bg-bad-soft px-3 py-2">
    <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
    <div className="min-w-0 flex-1">
      {title !== undefined && <p className="font-medium">{title}</p>}
      <p className="break-words">{problemText(error)}</p>
      {error instanceof TroupeError && error.instance !== "" && (
        <p className="text-xs text-muted">
          Request <code className="font-mono">{error.instance}</code>
        </p>
      )}
    </div>
    {onRetry !== undefined && <Button size="small" onClick={onRetry}>Try again</Button>}
  </div>
)
