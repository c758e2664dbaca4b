import { Download, Trash2 } from "lucide-react"
import { useState } from "react"
import { toast } from "sonner"
import { Button } from "../../parts/Button.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { problemText } from "../../parts/Problem.tsx"
import { useForgetAll, useMemoryExport } from "../../service/MemoryQueries.ts"
import { saveFile } from "../../service/SaveFile.ts"

/** What can be done with all memories. */
export const MemoryActions = () => {
  const [isAsking, setIsAsking] = useState(false)
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
      <Button kind="danger" onClick={() => setIsAsking(true)}>
        <Trash2 aria-hidden /> Delete all
      </Button>
      {isAsking && (
        <Confirm
          title="Delete all memories?"
          action="Delete all memories"
          keep="Keep them"
          error={forgetAll.error}
          isPending={forgetAll.isPending}
          onClose={() => setIsAsking(false)}
          onConfirm={() =>
            forgetAll.mutate(undefined, {
              onSuccess: () => {
                setIsAsking(false)
                toast.success("All memories deleted")
              }
            })}
        >
          <p>Agents forget everything about you, also what this search does not show. This can't be undone.</p>
        </Confirm>
      )}
    </>
  )
}
