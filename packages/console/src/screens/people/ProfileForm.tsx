import { TroupeError, type User, type UserChanges } from "@troupe/client"
import { gatewayNames } from "@troupe/client/DeliveryWay"
import { toast } from "sonner"
import { Badge } from "../../parts/Badge.tsx"
import { Button } from "../../parts/Button.tsx"
import { Checkbox } from "../../parts/Checkbox.tsx"
import { Field, Input, TextArea } from "../../parts/Field.tsx"
import { Form } from "../../parts/Form.tsx"
import { fieldError } from "../../parts/Outcome.ts"
import { Problem } from "../../parts/Problem.tsx"
import { typedText } from "../../parts/TypedText.ts"
import { useDraftFields } from "../../service/Drafts.ts"
import { useChangePerson } from "../../service/PeopleQueries.ts"
import { notifyWays } from "../../service/Ways.ts"
import { fieldName, fieldNames, type ProfileField } from "./PersonNames.ts"

type TextField = Exclude<ProfileField, "notify_by">

const lines: ReadonlyArray<TextField> = ["name", "display_name", "email", ...gatewayNames, "title", "timezone"]

const texts: ReadonlyArray<TextField> = [...lines, "responsibilities"]

const hints: Partial<Readonly<Record<TextField, string>>> = {
  timezone: "Such as Europe/Berlin: schedules and times in texts follow it",
  email: "Mail from this address counts as theirs",
  responsibilities: "Agents read it to know whom to ask"
}

interface Typed extends Readonly<Record<string, string>> {
  readonly notify_by: string
}

const initialOf = (user: User): Typed => ({
  ...Object.fromEntries(texts.map((field) => [field, user[field] ?? ""])),
  notify_by: user.notify_by.join(" ")
})

const textIn = (typed: Typed, field: TextField): string => typed[field] ?? ""

/** Only what differs is sent, because what was sent is an override from then on. */
const changesOf = (typed: Typed, user: User): UserChanges => {
  const before = initialOf(user)
  const changed = texts.filter((field) => textIn(typed, field).trim() !== before[field])
  return {
    ...Object.fromEntries(changed.map((field) => [field, typedText(textIn(typed, field))])),
    ...(typed.notify_by === before.notify_by
      ? {}
      : { notify_by: notifyWays.map(([way]) => way).filter((way) => typed.notify_by.split(" ").includes(way)) })
  }
}

export const ProfileForm = ({ user }: { readonly user: User }) => {
  const { clear, fields: typed, set } = useDraftFields(`person-${user.id}`, initialOf(user))
  const change = useChangePerson(user.id)
  const changes = changesOf(typed, user)
  const mark = (field: ProfileField) => user.overrides.includes(field) && <Badge tone="accent">Edited here</Badge>
  const notified = typed.notify_by.split(" ")
  const isTaken = change.error instanceof TroupeError && change.error.type === "/problems/address-taken"
    && change.variables?.join !== true
  const save = (join: boolean) =>
    change.mutate(join ? { ...changes, join } : changes, {
      onSuccess: () => {
        clear()
        toast.success("Profile saved")
      }
    })
  return (
    <Form
      onSubmit={() => save(false)}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        {lines.map((field) => (
          <Field
            key={field}
            label={fieldName(field)}
            aside={mark(field)}
            error={fieldError(change.error, field)}
            {...(hints[field] === undefined ? {} : { hint: hints[field] })}
          >
            <Input
              value={textIn(typed, field)}
              onChange={({ target }) => set({ [field]: target.value })}
            />
          </Field>
        ))}
        <fieldset className="flex flex-col gap-1">
          <legend className="float-left flex w-full items-center justify-between gap-2 font-medium">
            {fieldNames.notify_by} {mark("notify_by")}
          </legend>
          {notifyWays.map(([way, name]) => (
            <Checkbox
              key={way}
              isChecked={notified.includes(way)}
              onChange={(isChecked) =>
                set({
                  notify_by: notifyWays.map(([one]) => one)
                    .filter((one) => one === way ? isChecked : notified.includes(one)).join(" ")
                })}
            >
              {name}
            </Checkbox>
          ))}
          <span className="text-xs text-muted">None: where the task came from. The inbox here has everything.</span>
        </fieldset>
      </div>
      <Field
        label={fieldNames.responsibilities}
        aside={mark("responsibilities")}
        error={fieldError(change.error, "responsibilities")}
        hint={hints.responsibilities ?? ""}
      >
        <TextArea
          rows={3}
          value={textIn(typed, "responsibilities")}
          onChange={({ target }) => set({ responsibilities: target.value })}
        />
      </Field>
      {change.error !== null && <Problem error={change.error} fields={texts} title="The profile was not saved" />}
      <div className="flex justify-end gap-2">
        {isTaken && (
          <Button onClick={() => save(true)} disabled={change.isPending}>
            Same person: join both users
          </Button>
        )}
        <Button disabled={Object.keys(changes).length === 0} onClick={clear}>Discard</Button>
        <Button kind="primary" type="submit" disabled={Object.keys(changes).length === 0 || change.isPending}>
          {change.isPending ? "Saving …" : "Save the profile"}
        </Button>
      </div>
    </Form>
  )
}
