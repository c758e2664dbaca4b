import type { FormField, QuestionForm, Task } from "@troupe/client"
import { useState } from "react"
import { Button } from "../../../parts/Button.tsx"
import { Field, Input, Select } from "../../../parts/Field.tsx"
import { Form } from "../../../parts/Form.tsx"
import { fieldError, unplacedError } from "../../../parts/Outcome.ts"
import { Problem } from "../../../parts/Problem.tsx"
import { useFields } from "../../../service/TaskQueries.ts"
import { choicesIn, fieldsOf, hintOf, initialValues, inputTypeOf, type Values } from "./FormValues.ts"

interface ControlProps {
  readonly name: string
  readonly field: FormField
  readonly isRequired: boolean
  readonly value: Values[string]
  readonly error: string | undefined
  readonly onChange: (value: Values[string]) => void
}

const Boxes = ({ error, field, label, onChange, value }: ControlProps & { readonly label: string }) => {
  const chosen = Array.isArray(value) ? value : []
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="font-medium">{label}</legend>
      {(choicesIn(field) ?? []).map((choice) => (
        <label key={choice.value} className="flex items-center gap-2 py-0.5">
          <input
            type="checkbox"
            checked={chosen.includes(choice.value)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, choice.value] : chosen.filter((one) => one !== choice.value))}
          />
          {choice.label}
        </label>
      ))}
      {hintOf(field) !== undefined && <p className="text-xs text-muted">{hintOf(field)}</p>}
      {error !== undefined && <p role="alert" className="text-xs text-bad">{error}</p>}
    </fieldset>
  )
}

/** The control of a field, by its kind. */
const Control = (props: ControlProps) => {
  const { error, field, isRequired, name, onChange, value } = props
  const label = `${field.title ?? name}${isRequired ? "" : " (optional)"}`
  if (field.type === "array") return <Boxes {...props} label={label} />
  if (field.type === "boolean") {
    return (
      <div>
        <label className="flex items-center gap-2 font-medium">
          <input type="checkbox" checked={value === true} onChange={({ target }) => onChange(target.checked)} />
          {field.title ?? name}
        </label>
        {hintOf(field) !== undefined && <p className="text-xs text-muted">{hintOf(field)}</p>}
        {error !== undefined && <p role="alert" className="text-xs text-bad">{error}</p>}
      </div>
    )
  }
  const hint = hintOf(field)
  const choices = choicesIn(field)
  return (
    <Field label={label} error={error} {...(hint === undefined ? {} : { hint })}>
      {choices === undefined
        ? (
          <Input
            type={inputTypeOf(field)}
            step={field.type === "number" ? "any" : undefined}
            required={isRequired}
            value={String(value)}
            onChange={({ target }) => onChange(target.value)}
          />
        )
        : (
          <Select value={String(value)} required={isRequired} onChange={({ target }) => onChange(target.value)}>
            <option value="">Choose</option>
            {choices.map(({ label, value }) => <option key={value} value={value}>{label}</option>)}
          </Select>
        )}
    </Field>
  )
}

/** The form of a tool server's question. */
export const QuestionFields = ({ form, task }: { readonly form: QuestionForm; readonly task: Task }) => {
  const [values, setValues] = useState(() => initialValues(form))
  const answer = useFields(task)
  const names = Object.keys(form.properties)
  const unplaced = unplacedError(answer.error, names.map((name) => `fields.${name}`)) ?? null
  return (
    <Form
      aria-label="Form of the question"
      className="mt-3 flex flex-col gap-3"
      onSubmit={() => answer.mutate(fieldsOf(form, values))}
    >
      {Object.entries(form.properties).map(([name, field]) => (
        <Control
          key={name}
          name={name}
          field={field}
          isRequired={form.required.includes(name)}
          value={values[name] ?? ""}
          error={fieldError(answer.error, `fields.${name}`)}
          onChange={(value) => setValues({ ...values, [name]: value })}
        />
      ))}
      {unplaced !== null && <Problem error={unplaced} title="The answer was not accepted" />}
      <div className="flex justify-end">
        <Button kind="primary" type="submit" disabled={answer.isPending}>Answer</Button>
      </div>
    </Form>
  )
}

/** The page that a tool server asks to open, with its host; nothing opens it but a person. */
export const QuestionPage = ({ url }: { readonly url: string }) => (
  <p className="mt-3 break-words">
    <a
      href={url}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="text-accent underline underline-offset-2"
    >
      Open the page at {URL.canParse(url) ? new URL(url).host : url}
    </a>
    <span className="mt-1 block text-xs break-all text-muted">{url}</span>
  </p>
)
