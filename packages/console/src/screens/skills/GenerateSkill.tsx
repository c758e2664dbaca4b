import { Button } from "../../parts/Button.tsx"
import { DialogActions } from "../../parts/DialogActions.tsx"
import { Field, TextArea } from "../../parts/Field.tsx"
import { Form } from "../../parts/Form.tsx"
import { Modal } from "../../parts/Modal.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useDraft } from "../../service/Drafts.ts"
import { useGenerateSkill } from "../../service/SkillQueries.ts"
import { formOf, type SkillForm } from "./SkillForm.ts"

/** Lets the language model write a skill, which is then checked in the editor. */
export const GenerateSkill = ({ onClose, onWritten }: {
  readonly onClose: () => void
  readonly onWritten: (form: SkillForm) => void
}) => {
  const [text, setText] = useDraft("generate-skill")
  const generate = useGenerateSkill()
  return (
    <Modal isOpen onClose={onClose} title="Generate a skill">
      <Form
        onSubmit={() =>
          generate.mutate(text, {
            onSuccess: ({ skill }) => {
              setText("")
              onWritten(formOf(skill, false))
            }
          })}
      >
        <Field label="What is the skill for?" hint="The model writes it; you check it before it is saved">
          <TextArea autoFocus rows={6} value={text} onChange={({ target }) => setText(target.value)} />
        </Field>
        {generate.error !== null && <Problem error={generate.error} title="The skill was not generated" />}
        <DialogActions onCancel={onClose}>
          <Button kind="primary" type="submit" disabled={text.trim() === "" || generate.isPending}>
            {generate.isPending ? "Writing …" : "Write it"}
          </Button>
        </DialogActions>
      </Form>
    </Modal>
  )
}
