import { useRouter } from "@tanstack/react-router"
import type { AgentDetail } from "@troupe/client"
import { useState } from "react"
import { toast } from "sonner"
import { Button } from "../../parts/Button.tsx"
import { DialogActions } from "../../parts/DialogActions.tsx"
import { Field, Input } from "../../parts/Field.tsx"
import { Form } from "../../parts/Form.tsx"
import { MarkdownEditor } from "../../parts/MarkdownEditor.tsx"
import { Modal } from "../../parts/Modal.tsx"
import { fieldError } from "../../parts/Outcome.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useCreateAgent, useUpdateAgent } from "../../service/AgentQueries.ts"
import { useDraftFields } from "../../service/Drafts.ts"
import { useSettled } from "../../service/PreviewQueries.ts"
import { type AgentForm, type AgentTexts, changeOf, faultOf, previewOf } from "./AgentForm.ts"
import { AgentPreview } from "./AgentPreview.tsx"

const fields: ReadonlyArray<readonly [keyof AgentTexts, label: string, hint: string]> = [
  ["tools", "Tools", "Names or globs such as crm__*, separated by commas; empty: all; none: no tools"],
  ["disallowed_tools", "Without the tools", "Names or globs, separated by commas"],
  ["skills", "Skills", "Separated by commas; empty: all that fit a request; none: no skills"],
  ["memory", "Memory", "shared, or none: no memories, and no tools for them"],
  ["channels", "Channels", "Channels of the team chat whose requests it gets"],
  ["webhooks", "Webhooks", "Types of webhooks that it gets"],
  ["mailboxes", "Mailboxes", "Addresses whose mail it gets"],
  ["model", "Model", "Leave empty for the default"],
  ["max_iterations", "Model calls", "At most so many in a task; empty: the service's limit"],
  ["max_tokens_total", "Token budget", "Of a task, at least 4000; empty: no limit"],
  ["max_cost", "Cost limit", "Of a task; empty: no limit"],
  ["temperature", "Temperature", "0 to 2; empty: the model's"],
  ["summary_model", "Model for summaries", "Leave empty for the default"],
  ["compaction_min_tokens", "Compaction from", "Tokens of a conversation; empty: the service's setting"]
]

/** Writes or changes an agent. The service checks it, and its errors stand at their fields. */
export const AgentEditor = ({ given: { isSaved, texts }, onClose }: {
  readonly given: AgentForm
  readonly onClose: () => void
}) => {
  const router = useRouter()
  const { clear, fields: form, set } = useDraftFields(isSaved ? `agent-${texts.name}` : "new-agent", texts)
  const [isPreviewed, setIsPreviewed] = useState(false)
  // Typed text is sent once nobody has typed for a moment.
  const previewed = useSettled(JSON.stringify(previewOf(form)))
  const create = useCreateAgent()
  const update = useUpdateAgent(texts.name)
  const { error, isPending } = isSaved ? update : create
  const saved = ({ name }: AgentDetail) => {
    clear()
    onClose()
    toast.success("Agent saved", { description: name })
    void router.navigate({ to: "/agents/$agentName", params: { agentName: name } })
  }
  const save = () => {
    if (isPending || fields.some(([name]) => faultOf(form, name) !== undefined)) return
    if (isSaved) update.mutate(changeOf(form), { onSuccess: saved })
    else create.mutate({ name: form.name.trim(), ...changeOf(form) }, { onSuccess: saved })
  }
  const line = (name: keyof AgentTexts, label: string, hint: string) => (
    <Field key={name} label={label} hint={hint} error={faultOf(form, name) ?? fieldError(error, name)}>
      <Input
        value={form[name]}
        onChange={({ target }) =>
          set({ [name]: target.value })}
      />
    </Field>
  )
  return (
    <Modal isOpen onClose={onClose} title={isSaved ? `Edit ${texts.name}` : "New agent"} width="max-w-3xl">
      <Form onSubmit={save}>
        {!isSaved && line("name", "Name", "Lower-case letters, digits and hyphens, such as weekly-report")}
        {line("description", "Description", "What it is for and when to use it: other agents choose it by this")}
        <MarkdownEditor
          label="Instructions"
          hint="Markdown for the agent"
          rows={12}
          text={form.instructions}
          error={fieldError(error, "instructions")}
          onChange={(instructions) => set({ instructions })}
        />
        <details open={isSaved}>
          <summary className="w-fit text-muted hover:text-text">Tools, skills, limits, what it gets</summary>
          <div className="mt-2 grid gap-3 sm:grid-cols-2">
            {fields.map(([name, label, hint]) => line(name, label, hint))}
          </div>
        </details>
        <details onToggle={({ currentTarget }) => setIsPreviewed(currentTarget.open)}>
          <summary className="w-fit text-muted hover:text-text">Preview: its tools and system prompt</summary>
          {isPreviewed && <AgentPreview agent={JSON.parse(previewed)} />}
        </details>
        {error !== null && <Problem error={error} fields={Object.keys(form)} title="The agent was not saved" />}
        <DialogActions
          onCancel={() => {
            clear()
            onClose()
          }}
        >
          <Button kind="primary" type="submit" disabled={isPending}>{isPending ? "Saving …" : "Save the agent"}</Button>
        </DialogActions>
      </Form>
    </Modal>
  )
}
