import { type ErrorComponentProps, Link, useRouter } from "@tanstack/react-router"
import { Empty } from "../parts/Empty.tsx"
import { Compass } from "../parts/Icons.ts"
import { Problem } from "../parts/Problem.tsx"

/** A screen that failed; the rest of the console works on. */
export const ScreenError = ({ error, reset }: ErrorComponentProps) => {
  const router = useRouter()
  return (
    <div className="mx-auto max-w-2xl p-4">
      <h1 className="sr-only">Error</h1>
      <Problem
        error={error}
        title="This screen could not be shown"
        onRetry={() => {
          reset()
          void router.invalidate()
        }}
      />
    </div>
  )
}

export const NotFound = () => (
  <Empty heading="h1" icon={Compass} title="There is no such screen">
    <Link to="/tasks" className="text-accent underline">Go to the tasks</Link>
  </Empty>
)
