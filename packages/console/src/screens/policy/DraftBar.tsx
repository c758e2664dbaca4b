import { useQuery } from "@tanstack/react-query"
import { type PolicyReport, TroupeError } from "@troupe/client"
import { toast } from "sonner"
import { AskBeforeLeaving } from "../../parts/AskBeforeLeaving.tsx"
import { Button } from "../../parts/Button.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { policyQuery, useSavePolicy } from "../../service/PolicyQueries.ts"
import { PolicyDiff } from "./PolicyDiff.tsx"
import type { PolicyEditing } from "./PolicyDraft.ts"

const isStaleSave = (error: unknown): boolean => error instanceof TroupeError && error.type.endsWith("policy-changed")

/** What would be saved, and the way to save or discard it; over a revision that somebody else has saved only knowingly. */
export const DraftBar = ({ editing: { discard, isStale, policy }, saved }: {
  readonly editing: PolicyEditing
  readonly saved: PolicyReport
}) => {
  const save = useSavePolicy()
  const { refetch } = useQuery(policyQuery)
  const send = () =>
    // As a promise, because this may be gone, with the difference, before the caches are current.
    void save.mutateAsync({ ...policy, revision: saved.revision }).then(({ revision }) => {
      discard()
      return toast.success(`Saved as revision ${revision}`)
    }, (error: unknown) => isStaleSave(error) ? refetch() : undefined)
  const isRefused = save.error !== null && !isStaleSave(save.error)
  return (
    <section
      aria-label="Unsaved changes"
      className={`flex flex-col gap-2 rounded-lg border p-3 ${
        isStale ? "border-wait bg-wait-soft" : "border-accent bg-surface"
      }`}
    >
      <div role="status">
        <p className="font-medium">
          {isStale ? "Somebody has saved other rules meanwhile" : "Your changes are not saved"}
        </p>
        <p className="text-muted">
          {isStale
            ? `You changed revision ${policy.revision}; revision ${saved.revision} is in effect now. Nothing of yours is lost. Compared with what is in effect, yours would do this:`
            : "They take effect in every process within ten seconds after they are saved. See what they would have decided below."}
        </p>
      </div>
      <PolicyDiff before={saved} after={policy} label="What the changes do" />
      {/* Who chose a preset and goes to another screen may think that it is in effect. */}
      <AskBeforeLeaving when isKept>
        The policy stays as it was. Your changes are kept in this browser, to be saved or discarded here.
      </AskBeforeLeaving>
      {isRefused && <Problem error={save.error} title="The policy was not saved" />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={discard}>{isStale ? "Take theirs, discard mine" : "Discard"}</Button>
        <Button kind="primary" disabled={save.isPending} onClick={send}>
          {save.isPending ? "Saving …" : isStale ? "Save mine over theirs" : "Save"}
        </Button>
      </div>
    </section>
  )
}
