import { toast } from "sonner"
import { Button } from "../../parts/Button.tsx"
import { Delete } from "../../parts/Delete.tsx"
import { Download } from "../../parts/Icons.ts"
import { problemText } from "../../parts/Problem.tsx"
import { useForgetAll, useMemoryExport } from "../../service/MemoryQueries.ts"
import { saveFile } from "../../service/SaveFile.ts"

/** What can be done with all memories. */
export const MemoryActions = () => {
  const forgetAll = useForgetAll()
  const exported = useMemoryExport()
  const save = () =>
    exported.mutate(undefined, {
      onSuccess: (lines) => saveFile("memories.jsonl", new Blob([lines], { type: "application/x-ndjson" })),
      onError: (error) => toast.error("The memories were not exported", { description: problemText(error) })
    })
  return (
    <>
      <Button disabled={exported.isPending} onClick={save}>
        <Download aria-hidden /> Export
      </Button>
      <Delete noun="memories" label="Delete all" change={forgetAll} input={undefined}>
        Every memory about you is deleted, including those that this search does not show. This can't be undone.
      </Delete>
    </>
  )
}
