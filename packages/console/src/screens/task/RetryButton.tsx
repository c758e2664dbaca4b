import type { ComponentProps } from "react"
import { toast } from "sonner"
import { Button } from "../../parts/Button.tsx"
import { RotateCcw } from "../../parts/Icons.ts"
import { problemText } from "../../parts/Problem.tsx"
import { useRetry } from "../../service/TaskQueries.ts"

/** Retries a failed task; the service marks its failure as read. */
export const RetryButton = (
  { taskId, ...look }: { readonly taskId: string } & Pick<ComponentProps<typeof Button>, "kind" | "size">
) => {
  const retry = useRetry(taskId)
  return (
    <Button
      {...look}
      disabled={retry.isPending}
      onClick={() =>
        retry.mutate(undefined, {
          onError: (error) => toast.error("The task was not retried", { description: problemText(error) })
        })}
    >
      <RotateCcw aria-hidden /> Retry
    </Button>
  )
}
