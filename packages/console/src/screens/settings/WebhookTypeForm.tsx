import { useQuery } from "@tanstack/react-query"
import type { WebhookTypeChange, WebhookTypeSettings } from "@troupe/client"
import { isWebhookScheme, webhookSchemes } from "@troupe/client/WebhookScheme"
import { useState } from "react"
import { toast } from "sonner"
import { Button } from "../../parts/Button.tsx"
import { Checkbox } from "../../parts/Checkbox.tsx"
import { CopyText } from "../../parts/CopyText.tsx"
import { DialogActions } from "../../parts/DialogActions.tsx"
import { Field, Input, Select } from "../../parts/Field.tsx"
import { Form } from "../../parts/Form.tsx"
import { Modal } from "../../parts/Modal.tsx"
import { fieldError, unplacedError } from "../../parts/Outcome.ts"
import { Problem } from "../../parts/Problem.tsx"
import { serviceUrl } from "../../service/Address.ts"
import { agentsQuery } from "../../service/AgentQueries.ts"
import { defined } from "../../service/SearchParams.ts"
import { useConfigureType } from "../../service/SettingQueries.ts"

/** Adds a type of webhooks, or changes one. A secret that is not typed anew stays as it is. */
export const WebhookTypeForm = ({ given, onClose }: {
  readonly given?: WebhookTypeSettings
  readonly onClose: () => void
}) => {
  const [type, setType] = useState(given?.type ?? "")
  const [change, setChange] = useState<WebhookTypeChange>({})
  const agents = useQuery(agentsQuery).data ?? []
  const save = useConfigureType()
  const set = (next: WebhookTypeChange) => setChange((before) => ({ ...before, ...next }))
  const agent = change.agent === undefined ? given?.agent ?? null : change.agent
  const trusted = change.trusted ?? given?.trusted ?? false
  const address = given?.address ?? `${serviceUrl}/webhook/${encodeURIComponent(type.trim())}`
  const send = () => {
    if (save.isPending || type.trim() === "") return
    save.mutate({ type: type.trim(), change }, {
      onSuccess: (saved) => {
        toast.success(`Webhooks of type ${saved.type} are set up`)
        onClose()
      }
    })
  }
  const unplaced = unplacedError(save.error, ["secret", "scheme", "agent", "trusted", "webhook_type"])
  return (
    <Modal
      isOpen
      keepsInput
      onClose={onClose}
      title={given === undefined ? "Add a webhook type" : `Change ${given.type}`}
    >
      <Form onSubmit={send}>
        {given === undefined && (
          <Field
            label="Type"
            hint="A name for the sender, such as code-host"
            error={fieldError(save.error, "webhook_type")}
          >
            <Input
              maxLength={128}
              spellCheck={false}
              autoComplete="off"
              value={type}
              onChange={({ target }) => setType(target.value)}
            />
          </Field>
        )}
        {type.trim() !== "" && (
          <div className="flex flex-col gap-1">
            <span className="font-medium">Address to paste at the sender</span>
            <CopyText label="address" text={address} />
          </div>
        )}
        <Field
          label="Secret"
          hint={given?.has_secret === true
            ? "Leave empty to keep the stored one. It is never shown"
            : "The same as at the sender. It is sealed, and never shown again."}
          error={fieldError(save.error, "secret")}
        >
          <Input
            type="password"
            autoComplete="new-password"
            value={change.secret ?? ""}
            onChange={({ target }) =>
              setChange((before) => defined({ ...before, secret: target.value === "" ? undefined : target.value }))}
          />
        </Field>
        <Field label="Signature" hint="How the sender signs" error={fieldError(save.error, "scheme")}>
          <Select
            value={change.scheme ?? given?.scheme ?? ""}
            onChange={({ target }) => set({ scheme: isWebhookScheme(target.value) ? target.value : null })}
          >
            {given === undefined && <option value="">Default for this type</option>}
            {Object.entries(webhookSchemes).map(([name, { header, title }]) => (
              <option key={name} value={name}>{title}: {header}</option>
            ))}
          </Select>
        </Field>
        <Field label="Agent" hint="Who works on its tasks" error={fieldError(save.error, "agent")}>
          <Select
            value={agent ?? ""}
            onChange={({ target }) => set({ agent: target.value === "" ? null : target.value })}
          >
            <option value="">Default agent</option>
            {agent !== null && !agents.some(({ name }) => name === agent) && <option value={agent}>{agent}</option>}
            {agents.map(({ name }) => <option key={name} value={name}>{name}</option>)}
          </Select>
        </Field>
        <Checkbox
          hint="Without a secret: their tasks have all tools, whoever sent them. Leave this off where others reach the address."
          isChecked={trusted}
          onChange={(trusted) => set({ trusted })}
        >
          Trust unsigned webhooks
        </Checkbox>
        {fieldError(save.error, "trusted") !== undefined && (
          <p role="alert" className="text-xs text-bad">{fieldError(save.error, "trusted")}</p>
        )}
        {save.error !== null && unplaced !== undefined && <Problem error={unplaced} title="The type was not saved" />}
        <DialogActions onCancel={onClose}>
          <Button kind="primary" type="submit" disabled={save.isPending || type.trim() === ""}>Save</Button>
        </DialogActions>
      </Form>
    </Modal>
  )
}
