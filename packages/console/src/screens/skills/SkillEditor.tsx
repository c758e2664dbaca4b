import { useRouter } from "@tanstack/react-router"
import type { SkillDetail } from "@troupe/client"
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
import { useDraftFields } from "../../service/Drafts.ts"
import { useCreateSkill, useUpdateSkill } from "../../service/SkillQueries.ts"
import { changeOf, requirementKinds, requirementNames, type SkillForm, type SkillTexts } from "./SkillForm.ts"

const hints: Readonly<Record<(typeof requirementKinds)[number], string>> = {
  bins: "Such as pandoc, jq",
  env: "Such as REPORT_TOKEN",
  python: "Such as pandas",
  node: "Such as csv-parse",
  platform: "linux, darwin, win32; empty: any"
}

/** Writes or changes a skill. The service checks it, and its errors stand at their fields. */
export const SkillEditor = ({ given: { isSaved, texts }, onClose }: {
  readonly given: SkillForm
  readonly onClose: () => void
}) => {
  const router = useRouter()
  const { clear, fields: form, set } = useDraftFields(
    isSaved ? `skill-${texts.name}` : `new-skill-${texts.name}`,
    texts
  )
  const [hasRequirements] = useState(requirementKinds.some((kind) => form[kind] !== ""))
  const create = useCreateSkill()
  const update = useUpdateSkill(texts.name)
  const { error, isPending } = isSaved ? update : create
  const saved = ({ name }: SkillDetail) => {
    clear()
    onClose()
    toast.success("Skill saved", { description: name })
    void router.navigate({ to: "/skills/$skillName", params: { skillName: name } })
  }
  const save = () => {
    if (isPending) return
    if (isSaved) update.mutate(changeOf(form), { onSuccess: saved })
    else create.mutate({ name: form.name.trim(), ...changeOf(form) }, { onSuccess: saved })
  }
  const discard = () => {
    clear()
    onClose()
  }
  const line = (name: keyof SkillTexts, label: string, hint: string, path: string = name) => (
    <Field label={label} hint={hint} error={fieldError(error, path)}>
      <Input
        value={form[name]}
        onChange={({ target }) =>
          set({ [name]: target.value })}
      />
    </Field>
  )
  return (
    <Modal isOpen onClose={onClose} title={isSaved ? `Edit ${texts.name}` : "New skill"} width="max-w-3xl">
      <Form
        onSubmit={save}
      >
        {!isSaved && line("name", "Name", "Lower-case letters, digits and hyphens, such as weekly-report")}
        {line("description", "Description", "What it does and when to use it: requests are matched with this")}
        <div className="grid gap-3 sm:grid-cols-2">
          {line("tags", "Tags", "Separated by commas; a request with one of them matches")}
          {line("allowed_tools", "Tools", "Separated by commas; parts of names are enough")}
        </div>
        <MarkdownEditor
          label="Instructions"
          hint="Markdown for the agent"
          rows={12}
          text={form.instructions}
          error={fieldError(error, "instructions")}
          onChange={(instructions) => set({ instructions })}
        />
        <details open={hasRequirements}>
          <summary className="w-fit text-muted hover:text-text">What it requires, author, version</summary>
          <div className="mt-2 grid gap-3 sm:grid-cols-2">
            {requirementKinds.map((kind) => (
              <div key={kind}>{line(kind, requirementNames[kind], hints[kind], `requirements.${kind}`)}</div>
            ))}
            {line("author", "Author", "Optional")}
            {line("version", "Version", "Optional")}
          </div>
          <p className="mt-1 text-xs text-muted">
            Separated by commas. A skill whose requirements this machine does not meet is not given to agents.
          </p>
        </details>
        {error !== null && (
          <Problem
            error={error}
            fields={[
              "name",
              "description",
              "tags",
              "allowed_tools",
              "instructions",
              "requirements",
              "author",
              "version"
            ]}
            title="The skill was not saved"
          />
        )}
        <DialogActions onCancel={discard}>
          <Button kind="primary" type="submit" disabled={isPending}>{isPending ? "Saving …" : "Save the skill"}</Button>
        </DialogActions>
      </Form>
    </Modal>
  )
}
