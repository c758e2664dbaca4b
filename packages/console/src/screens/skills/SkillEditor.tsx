import { Tabs } from "@base-ui/react/tabs"
import { useRouter } from "@tanstack/react-router"
import { type SkillDetail, TroupeError } from "@troupe/client"
import { useState } from "react"
import { toast } from "sonner"
import { Button } from "../../parts/Button.tsx"
import { Field, Input, TextArea } from "../../parts/Field.tsx"
import { Modal } from "../../parts/Modal.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { RichText } from "../../parts/RichText.tsx"
import { useCreateSkill, useUpdateSkill } from "../../service/SkillQueries.ts"
import { changeOf, type SkillForm } from "./SkillForm.ts"

const tabLook = "h-7 rounded-md px-2 text-xs text-muted hover:text-text data-active:bg-raised data-active:text-text"

/** Writes or changes a skill. The service checks it, and its errors stand at their fields. */
export const SkillEditor = ({ given, onClose }: { readonly given: SkillForm; readonly onClose: () => void }) => {
  const router = useRouter()
  const [form, setForm] = useState(given)
  const create = useCreateSkill()
  const update = useUpdateSkill(given.name)
  const { error, isPending } = given.isSaved ? update : create
  const errorAt = (path: string) =>
    error instanceof TroupeError ? error.errors.find((one) => one.path.split(".")[0] === path)?.message : undefined
  const saved = ({ name }: SkillDetail) => {
    onClose()
    toast.success("Skill saved", { description: name })
    void router.navigate({ to: "/skills/$skillName", params: { skillName: name } })
  }
  const save = () => {
    if (isPending) return
    if (given.isSaved) update.mutate(changeOf(form), { onSuccess: saved })
    else create.mutate({ name: form.name.trim(), ...changeOf(form) }, { onSuccess: saved })
  }
  const line = (name: "name" | "description" | "tags" | "allowed_tools", label: string, hint: string) => (
    <Field label={label} hint={hint} error={errorAt(name)}>
      <Input
        value={form[name]}
        onChange={({ target }) =>
          setForm({ ...form, [name]: target.value })}
      />
    </Field>
  )
  return (
    <Modal isOpen onClose={onClose} title={given.isSaved ? `Edit ${given.name}` : "New skill"} width="max-w-3xl">
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        {!given.isSaved && line("name", "Name", "Lower-case letters, digits and hyphens, such as weekly-report")}
        {line("description", "Description", "What it does and when to use it: requests are matched with this")}
        <div className="grid gap-3 sm:grid-cols-2">
          {line("tags", "Tags", "Separated by commas; a request with one of them matches")}
          {line("allowed_tools", "Tools", "Separated by commas; parts of names are enough")}
        </div>
        <Tabs.Root defaultValue="write">
          <Tabs.List className="mb-1 flex gap-1">
            <Tabs.Tab value="write" className={tabLook}>Write</Tabs.Tab>
            <Tabs.Tab value="preview" className={tabLook}>Preview</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="write">
            <Field label="Instructions" hint="Markdown for the agent" error={errorAt("instructions")}>
              <TextArea
                rows={12}
                value={form.instructions}
                onChange={({ target }) => setForm({ ...form, instructions: target.value })}
              />
            </Field>
          </Tabs.Panel>
          <Tabs.Panel value="preview" className="min-h-64 rounded-md border p-3">
            {form.instructions.trim() === ""
              ? <p className="text-muted">Nothing to show yet.</p>
              : <RichText text={form.instructions} />}
          </Tabs.Panel>
        </Tabs.Root>
        {error !== null && <Problem error={error} title="The skill was not saved" />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={isPending}>{isPending ? "Saving …" : "Save the skill"}</Button>
        </div>
      </form>
    </Modal>
  )
}
