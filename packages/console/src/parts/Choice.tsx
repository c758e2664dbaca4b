import { Field, Select } from "./Field.tsx"

/** A value that is chosen by its name; one that is set and not known is shown as it is. */
export const Choice = ({ error, hint, label, names, none, onChange, value = "" }: {
  readonly label: string
  readonly names: ReadonlyMap<string, string>
  /** What is shown for no value. */
  readonly none: string
  readonly value: string | undefined
  readonly hint?: string
  readonly error?: string | undefined
  readonly onChange: (value: string) => void
}) => (
  <Field label={label} error={error} {...(hint === undefined ? {} : { hint })}>
    <Select aria-label={label} value={value} onChange={({ target }) => onChange(target.value)}>
      <option value="">{none}</option>
      {value !== "" && !names.has(value) && <option value={value}>{value}</option>}
      {[...names].sort(([, one], [, other]) => one.localeCompare(other)).map(([id, name]) => (
        <option key={id} value={id}>{name}</option>
      ))}
    </Select>
  </Field>
)
