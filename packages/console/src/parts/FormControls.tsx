import type { FormField, QuestionForm } from "@troupe/client"
import { Checkbox } from "./Checkbox.tsx"
import { Field, Input, Select } from "./Field.tsx"
import { choicesIn, hintOf, inputTypeOf, type Values } from "./FormValues.ts"
import { toggled } from "./Toggled.ts"

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
        <Checkbox
          key={choice.value}
          isChecked={chosen.includes(choice.value)}
          onChange={(isChecked) => onChange(toggled(chosen, choice.value, isChecked))}
        >
          {choice.label}
        </Checkbox>
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

/** The controls of a form; what they have is with whoever shows them. */
export const FormControls = ({ errorOf, form, onChange, values }: {
  readonly form: QuestionForm
  readonly values: Values
  readonly errorOf: (name: string) => string | undefined
  readonly onChange: (values: Values) => void
}) => (
  <>
    {Object.entries(form.properties).map(([name, field]) => (
      <Control
        key={name}
        name={name}
        field={field}
        isRequired={form.required.includes(name)}
        value={values[name] ?? ""}
        error={errorOf(name)}
        onChange={(value) => onChange({ ...values, [name]: value })}
      />
    ))}
  </>
)
