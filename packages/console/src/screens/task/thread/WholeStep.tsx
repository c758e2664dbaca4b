import { Link } from "@tanstack/react-router"

/** Below a text that is shortened: the way to the step that has the whole one. */
export const WholeStep = (
  { of: { seq, taskId } }: { readonly of: { readonly taskId: string; readonly seq: number } }
) => (
  <p className="mt-2 text-xs">
    <Link
      to="/tasks/$taskId"
      params={{ taskId }}
      search={{ view: "steps", step: seq }}
      className="text-accent underline underline-offset-2"
    >
      Only the beginning is shown here. Open the whole step
    </Link>
  </p>
)
