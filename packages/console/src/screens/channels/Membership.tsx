import type { ChannelMembership } from "@troupe/client"
import { useState } from "react"
import { toast } from "sonner"
import { Button } from "../../parts/Button.tsx"
import { Field, Input, TextArea } from "../../parts/Field.tsx"
import { Form } from "../../parts/Form.tsx"
import { Pencil } from "../../parts/Icons.ts"
import { fieldError } from "../../parts/Outcome.ts"
import { Problem } from "../../parts/Problem.tsx"
import { typedText } from "../../parts/TypedText.ts"
import { useChangeMember } from "../../service/ChannelQueries.ts"
import { useDraftFields } from "../../service/Drafts.ts"
import { useMayOperate } from "../../service/Rights.ts"

const MembershipForm = ({ member, onClose }: { readonly member: ChannelMembership; readonly onClose: () => void }) => {
  const { clear, fields, set } = useDraftFields(`member-${member.channel_id}-${member.user_id}`, {
    role: member.role ?? "",
    responsibilities: member.responsibilities ?? ""
  })
  const change = useChangeMember(member.channel_id)
  const end = () => {
    clear()
    onClose()
  }
  const save = () =>
    void change.mutateAsync({
      user: member.user_id,
      changes: { role: typedText(fields.role), responsibilities: typedText(fields.responsibilities) }
    }).then(() => {
      end()
      return toast.success("Membership saved")
    }, () => undefined)
  return (
    <Form
      className="flex flex-col gap-2 py-1"
      onSubmit={save}
    >
      <Field label="Role" error={fieldError(change.error, "role")}>
        <Input autoFocus value={fields.role} onChange={({ target }) => set({ role: target.value })} />
      </Field>
      <Field label="Responsibilities" error={fieldError(change.error, "responsibilities")}>
        <TextArea
          rows={2}
          className="min-h-14"
          value={fields.responsibilities}
          onChange={({ target }) => set({ responsibilities: target.value })}
        />
      </Field>
      {change.error !== null && (
        <Problem error={change.error} fields={["role", "responsibilities"]} title="The membership was not saved" />
      )}
      <div className="flex justify-end gap-2">
        <Button size="small" onClick={end}>Cancel</Button>
        <Button size="small" kind="primary" type="submit" disabled={change.isPending}>Save</Button>
      </div>
    </Form>
  )
}

/** What a person does in the channel, and the form that changes it. */
export const Membership = ({ member }: { readonly member: ChannelMembership }) => {
  const [isEdited, setIsEdited] = useState(false)
  const mayOperate = useMayOperate() === true
  const name = member.name ?? member.user_id
  return (
    <div>
      <div className="flex items-center gap-2">
        <span className="min-w-0 flex-1">
          <span className="font-medium">{name}</span>
          {member.role !== null && <span className="text-muted">, {member.role}</span>}
          {member.responsibilities !== null && !isEdited && (
            <span className="block break-words whitespace-pre-wrap text-muted">{member.responsibilities}</span>
          )}
        </span>
        {mayOperate && !isEdited && (
          <Button
            kind="ghost"
            size="icon"
            aria-label={`Change what ${name} does here`}
            title="Change"
            onClick={() => setIsEdited(true)}
          >
            <Pencil aria-hidden />
          </Button>
        )}
      </div>
      {isEdited && <MembershipForm member={member} onClose={() => setIsEdited(false)} />}
    </div>
  )
}
