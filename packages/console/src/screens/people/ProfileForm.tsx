import { TroupeError, type User, type UserChanges } from "@troupe/client"
import { toast } from "sonner"
import { Badge } from "../../parts/Badge.tsx"
import { Button } from "../../parts/Button.tsx"
import { Field, Input, TextArea } from "../../parts/Field.tsx"
import { Form } from "../../parts/Form.tsx"
import { fieldError } from "../../parts/Outcome.ts"
import { Problem } from "../../parts/Problem.tsx"
import { typedText } from "../../parts/TypedText.ts"
import { useDraftFields } from "../../service/Drafts.ts"
import { useChangePerson } from "../../service/PeopleQueries.ts"
import { notifyWays } from "../../service/Ways.ts"
import { fieldNames, type ProfileField } from "./PersonNames.ts"

type TextField = Exclude<ProfileField, "notify_by">

const lines = ["name", "display_name", "email", "title", "timezone"] as const satisfies ReadonlyArray<TextField>

const hints: Partial<Readonly<Record<TextField, string>>> = {
  timezone: "Such as Europe/Berlin: schedules and times in texts follow it",
  email: "Mail from this address counts as theirs",
  responsibilities: "Agents read it to know whom to ask"
}

const initialOf = (user: User) => ({
  name: user.name ?? "",
  display_name: user.display_name ?? "",
  email: user.email ?? "",
  title: user.title ?? "",
  timezone: user.timezone ?? "",
  responsibilities: user.responsibilities ?? "",
  notify_by: user.notify_by.join(" ")
})

/** Only what differs is sent, because what was sent is an override from then on. */
const changesOf = (typed: ReturnType<typeof initialOf>, user: User): UserChanges => {
  const before = initialOf(user)
  const texts = ([...lines, "responsibilities"] as const).filter((field) => typed[field].trim() !== before[field])
  return {
    ...Object.fromEntries(texts.map((field) => [field, typedText(typed[field])])),
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
            label={fieldNames[field]}
            aside={mark(field)}
            error={fieldError(change.error, field)}
            {...(hints[field] === undefined ? {} : { hint: hints[field] })}
          >
            <Input
              value={typed[field]}
              onChange={({ target }) => set({ [field]: target.value })}
            />
          </Field>
        ))}
        <fieldset className="flex flex-col gap-1">
          <legend className="float-left flex w-full items-center justify-between gap-2 font-medium">
            {fieldNames.notify_by} {mark("notify_by")}
          </legend>
          {notifyWays.map(([way, name]) => (
            <label key={way} className="flex min-h-6 items-center gap-2">
              <input
                type="checkbox"
                className="size-4 accent-accent-fill"
                checked={notified.includes(way)}
                onChange={({ target: { checked } }) =>
                  set({
                    notify_by: notifyWays.map(([one]) => one)
                      .filter((one) => one === way ? checked : notified.includes(one)).join(" ")
                  })}
              />
              {name}
            </label>
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
          value={typed.responsibilities}
          onChange={({ target }) => set({ responsibilities: target.value })}
        />
      </Field>
      {change.error !== null && (
        <Problem error={change.error} fields={[...lines, "responsibilities"]} title="The profile was not saved" />
      )}
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
