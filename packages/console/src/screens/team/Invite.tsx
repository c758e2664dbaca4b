import { toast } from "sonner"
import { Button } from "../../parts/Button.tsx"
import { DialogActions } from "../../parts/DialogActions.tsx"
import { Field, Input, inputLook } from "../../parts/Field.tsx"
import { Form } from "../../parts/Form.tsx"
import { Modal } from "../../parts/Modal.tsx"
import { fieldError } from "../../parts/Outcome.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useDraftFields } from "../../service/Drafts.ts"
import { useInvite } from "../../service/TeamQueries.ts"

/** Invites a person, who signs in with the address that is given here. */
export const Invite = ({ onClose }: { readonly onClose: () => void }) => {
  const { clear, fields, set } = useDraftFields("invite", { email: "", name: "", role: "member" })
  const invite = useInvite()
  const send = () =>
    void invite.mutateAsync({
      email: fields.email.trim(),
      ...(fields.name.trim() === "" ? {} : { name: fields.name.trim() }),
      role: fields.role === "admin" ? "admin" : "member"
    }).then(({ email }) => {
      clear()
      onClose()
      return toast.success("Invited", { description: email })
    }, () => undefined)
  return (
    <Modal isOpen onClose={onClose} title="Invite to the team" width="max-w-md">
      <Form
        noValidate
        onSubmit={send}
      >
        <Field
          label="E-mail address"
          hint="The one with which the person signs in. The invitation is mailed to it, if the service can send mail"
          error={fieldError(invite.error, "email")}
        >
          <Input
            autoFocus
            type="email"
            value={fields.email}
            onChange={({ target }) => set({ email: target.value })}
          />
        </Field>
        <Field label="Full name" hint="Optional" error={fieldError(invite.error, "name")}>
          <Input value={fields.name} onChange={({ target }) => set({ name: target.value })} />
        </Field>
        <label className="flex flex-col gap-1 font-medium">
          Role
          <select
            className={inputLook("w-full font-normal")}
            value={fields.role}
            onChange={({ target }) => set({ role: target.value })}
          >
            <option value="member">Member: works with their own tasks</option>
            <option value="admin">Admin: also runs the service and the team</option>
          </select>
        </label>
        {invite.error !== null && (
          <Problem error={invite.error} fields={["email", "name"]} title="The invitation was not sent" />
        )}
        <DialogActions onCancel={onClose}>
          <Button kind="primary" type="submit" disabled={fields.email.trim() === "" || invite.isPending}>
            {invite.isPending ? "Inviting …" : "Invite"}
          </Button>
        </DialogActions>
      </Form>
    </Modal>
  )
}
