import type { SubscriptionEvent } from "@troupe/client"
import { Button } from "../../parts/Button.tsx"
import { Checkbox } from "../../parts/Checkbox.tsx"
import { DialogActions } from "../../parts/DialogActions.tsx"
import { Field, Input } from "../../parts/Field.tsx"
import { Form } from "../../parts/Form.tsx"
import { Modal } from "../../parts/Modal.tsx"
import { fieldError } from "../../parts/Outcome.ts"
import { Problem } from "../../parts/Problem.tsx"
import { ShownOnce } from "../../parts/ShownOnce.tsx"
import { useDraftFields } from "../../service/Drafts.ts"
import { useCreateSubscription } from "../../service/SubscriptionQueries.ts"

const events = [
  "task.created",
  "task.started",
  "task.waiting",
  "task.resumed",
  "task.completed",
  "task.failed",
  "task.archived"
] as const satisfies ReadonlyArray<SubscriptionEvent>

export const NewSubscription = ({ onClose }: { readonly onClose: () => void }) => {
  const { clear, fields, set } = useDraftFields("new-subscription", { url: "", events: events.join(" "), tasks: "own" })
  const { url } = fields
  const isOfAll = fields.tasks === "all"
  const chosen = events.filter((event) => fields.events.split(" ").includes(event))
  const create = useCreateSubscription()
  const { data: created, error } = create
  if (created !== undefined) {
    return (
      <ShownOnce name="secret" secret={created.secret} onClose={onClose}>
        It verifies the signatures of the requests to <span className="break-all">{created.url}</span>.
      </ShownOnce>
    )
  }
  return (
    <Modal isOpen onClose={onClose} title="New subscription">
      <Form
        className="flex flex-col gap-4"
        onSubmit={() =>
          create.mutate({ url: url.trim(), events: chosen, ...(isOfAll ? { tasks: "all" as const } : {}) }, {
            onSuccess: clear
          })}
      >
        <Field label="Address" hint="Where the events are posted: http or https" error={fieldError(error, "url")}>
          <Input
            autoFocus
            inputMode="url"
            value={url}
            placeholder="https://example.org/hooks/troupe"
            onChange={({ target }) => set({ url: target.value })}
          />
        </Field>
        <fieldset>
          <legend className="mb-1 font-medium">Events</legend>
          <div className="grid gap-1.5 sm:grid-cols-2">
            {events.map((event) => (
              <Checkbox
                key={event}
                isChecked={chosen.includes(event)}
                onChange={(isChecked) =>
                  set({
                    events: events.filter((other) => other === event ? isChecked : chosen.includes(other)).join(
                      " "
                    )
                  })}
              >
                <code className="font-mono text-xs">{event}</code>
              </Checkbox>
            ))}
          </div>
        </fieldset>
        <Checkbox isChecked={isOfAll} onChange={(isChecked) => set({ tasks: isChecked ? "all" : "own" })}>
          Include the tasks of everyone, not only your own
        </Checkbox>
        {error !== null && <Problem error={error} fields={["url"]} title="The subscription was not added" />}
        <DialogActions onCancel={onClose}>
          <Button
            kind="primary"
            type="submit"
            disabled={url.trim() === "" || chosen.length === 0 || create.isPending}
          >
            Add the subscription
          </Button>
        </DialogActions>
      </Form>
    </Modal>
  )
}
