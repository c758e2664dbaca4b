import type { User } from "@troupe/client"
import { Button } from "../../parts/Button.tsx"
import { DialogActions } from "../../parts/DialogActions.tsx"
import { Field, Input, Select } from "../../parts/Field.tsx"
import { Form } from "../../parts/Form.tsx"
import { Modal } from "../../parts/Modal.tsx"
import { fieldError } from "../../parts/Outcome.ts"
import { Problem } from "../../parts/Problem.tsx"
import { ShownOnce } from "../../parts/ShownOnce.tsx"
import { useDraftFields } from "../../service/Drafts.ts"
import { useCreateToken } from "../../service/TokenQueries.ts"
import { roleNames } from "../people/PersonNames.ts"

const roles = ["member", "admin", "owner"] as const satisfies ReadonlyArray<User["role"]>

/** Creates a token with at most the role of the one who works here. */
export const NewToken = ({ onClose, role: own }: { readonly onClose: () => void; readonly role: User["role"] }) => {
  const { clear, fields, set } = useDraftFields("new-token", { name: "", role: "member", days: "" })
  const create = useCreateToken()
  const { data: created, error } = create
  if (created !== undefined) {
    return (
      <ShownOnce name="token" secret={created.token} onClose={onClose}>
        Send it as <code>Authorization: Bearer …</code>, or set it as <code>TROUPE_TOKEN</code> for the command line.
      </ShownOnce>
    )
  }
  const allowed = roles.slice(0, roles.indexOf(own) + 1)
  const role = allowed.find((one) => one === fields.role) ?? "member"
  return (
    <Modal isOpen onClose={onClose} title="New token" width="max-w-md">
      <Form
        noValidate
        onSubmit={() =>
          create.mutate(
            {
              name: fields.name.trim(),
              role,
              ...(fields.days.trim() === "" ? {} : { expires_in_days: Number(fields.days) })
            },
            { onSuccess: clear }
          )}
      >
        <Field label="Name" hint="What uses it, such as Nightly reports" error={fieldError(error, "name")}>
          <Input autoFocus value={fields.name} onChange={({ target }) => set({ name: target.value })} />
        </Field>
        <Field
          label="Role"
          hint="The most that it may do; it never does more than you may"
          error={fieldError(error, "role")}
        >
          <Select value={role} onChange={({ target }) => set({ role: target.value })}>
            {allowed.map((one) => <option key={one} value={one}>{roleNames[one]}</option>)}
          </Select>
        </Field>
        <Field
          label="Days until it expires"
          hint="Leave empty for no expiry. A token always ends when you leave the team"
          error={fieldError(error, "expires_in_days")}
        >
          <Input inputMode="numeric" value={fields.days} onChange={({ target }) => set({ days: target.value })} />
        </Field>
        {error !== null && (
          <Problem error={error} fields={["name", "role", "expires_in_days"]} title="The token was not created" />
        )}
        <DialogActions onCancel={onClose}>
          <Button kind="primary" type="submit" disabled={fields.name.trim() === "" || create.isPending}>
            Create the token
          </Button>
        </DialogActions>
      </Form>
    </Modal>
  )
}
