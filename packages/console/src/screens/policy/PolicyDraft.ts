import type { PolicyReport } from "@troupe/client"
import { useDraft } from "../../service/Drafts.ts"
import { type Draft, draftIn, isSamePolicy } from "./PolicyContent.ts"

export interface PolicyEditing {
  /** As it would be saved. */
  readonly policy: Draft
  readonly isChanged: boolean
  /** Somebody has saved another revision since the draft was made. */
  readonly isStale: boolean
  readonly change: (change: Partial<Omit<Draft, "revision">>) => void
  readonly discard: () => void
}

/** The saved policy with the changes of this person, which survive a reload until they are saved. */
export const usePolicyDraft = (saved: PolicyReport): PolicyEditing => {
  const [text, setText] = useDraft("policy")
  const draft = draftIn(text)
  const isChanged = draft !== undefined && !isSamePolicy(draft, saved)
  const policy: Draft = isChanged ? draft : saved
  return {
    policy,
    isChanged,
    isStale: isChanged && draft.revision !== saved.revision,
    change: (change) => {
      const { classes, preset, revision, rules } = { ...policy, ...change }
      const next = { classes, preset, revision, rules }
      setText(isSamePolicy(next, saved) ? "" : JSON.stringify(next))
    },
    discard: () => setText("")
  }
}
