import { Link } from "@tanstack/react-router"
import type { Approval } from "@troupe/client"
import { visibleSigns } from "./ApprovalText.ts"

const SinceLink = ({ seq, taskId }: { readonly seq: number; readonly taskId: string }) => (
  <Link
    to="/tasks/$taskId"
    params={{ taskId }}
    search={seq === 0 ? {} : { view: "steps", step: seq }}
    className="text-accent underline underline-offset-2"
  >
    {seq === 0 ? "the request" : `step ${seq}`}
  </Link>
)

const unruled = (cause: Approval["cause"], preset: string): string =>
  cause === "mail"
    ? "A mail needs an approval when nobody in this task has named all of its recipients."
    : cause === "leaves"
    ? "This call needs an approval because it may send private data out of the team."
    : `The policy preset “${preset}” requires an approval for this call.`

/** Which rule asks, and since when the agent has seen what. */
export const WhyAsked = ({ approval }: { readonly approval: Approval }) => {
  const { cause, outside_because, outside_since, preset, private_since, rule, task_id } = approval
  return (
    <p className="text-xs break-words text-muted">
      {rule === null
        ? unruled(cause, preset)
        : `Rule ${rule.index + 1} of the policy requires an approval for this call${
          rule.because === null ? "." : `: ${visibleSigns(rule.because)}`
        }`}
      {outside_since !== null && (
        <>
          {" "}
          The agent has seen something from outside since <SinceLink seq={outside_since} taskId={task_id} />
          {outside_because === null ? "." : `: ${visibleSigns(outside_because)}.`}
        </>
      )}
      {private_since !== null && (
        <>
          {" "}
          It has seen something private since <SinceLink seq={private_since} taskId={task_id} />.
        </>
      )}
    </p>
  )
}
