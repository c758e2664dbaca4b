import { toast } from "sonner"
import { Button } from "../../parts/Button.tsx"
import { RefreshCw } from "../../parts/Icons.ts"
import { plural } from "../../parts/Plural.ts"
import { problemText } from "../../parts/Problem.tsx"
import { useReloadSkills } from "../../service/SkillQueries.ts"

/** Scans the folders, and tells what changed and which files are no skills. */
export const ReloadSkills = () => {
  const reload = useReloadSkills()
  const run = () =>
    reload.mutate(undefined, {
      onSuccess: ({ added, count, errors, removed, updated }) => {
        toast.success(plural(count, "skill"), {
          description: `${added.length} new, ${updated.length} changed, ${removed.length} removed.`
        })
        for (const { message, path } of errors) toast.error(path, { description: message, duration: 20_000 })
      },
      onError: (error) => toast.error("The skills were not reloaded", { description: problemText(error) })
    })
  return (
    <Button disabled={reload.isPending} onClick={run}>
      <RefreshCw aria-hidden /> Reload
    </Button>
  )
}
