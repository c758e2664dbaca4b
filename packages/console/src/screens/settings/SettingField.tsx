import type { Setting } from "@troupe/client"
import { Badge } from "../../parts/Badge.tsx"
import { Button } from "../../parts/Button.tsx"
import { Field, Input, Select } from "../../parts/Field.tsx"

const sources: Readonly<Record<Setting["source"], string>> = {
  environment: "Set by the environment",
  file: "Set in .env",
  stored: "Set here",
  default: "Default"
}

/** What a setting can be, where that is a choice. */
const choicesOf = (expected: string): ReadonlyArray<string> | undefined =>
  expected === "true or false"
    ? ["true", "false"]
    : expected.startsWith("one of ")
    ? expected.slice("one of ".length).split(", ")
    : undefined

/** Descriptions call the values by their own names. */
const nameOf = (choice: string, expected: string): string =>
  expected === "true or false" ? `${choice === "true" ? "Yes" : "No"} (${choice})` : choice

export const SourceBadge = ({ setting: { is_set, secret, source, value } }: { readonly setting: Setting }) =>
  source === "default"
    ? <Badge>{secret || value === null || value === "" ? "Not set" : sources.default}</Badge>
    : (
      <Badge tone={source === "stored" ? "accent" : "wait"}>
        {secret && is_set ? `Secret: ${sources[source].toLowerCase()}` : sources[source]}
      </Badge>
    )

/** One setting. `change`: what is typed; null removes what is stored. The value of a secret is never here. */
export const SettingField = ({ change, error, onChange, setting }: {
  readonly setting: Setting
  readonly change: string | null | undefined
  readonly error: string | undefined
  readonly onChange: (change: string | null | undefined) => void
}) => {
  const { description, expected, is_set, locked, name, secret, source, title, value } = setting
  const current = value ?? ""
  const shown = change === undefined ? current : change ?? ""
  const choices = choicesOf(expected)
  const typed = (text: string) =>
    onChange(secret ? text === "" ? undefined : text : text === current ? undefined : text === "" ? null : text)
  return (
    <Field
      label={title}
      hint={`${description} (${name})`}
      error={error}
      aside={
        <span className="flex items-center gap-1">
          {source === "stored" && (
            <Button
              kind="ghost"
              size="small"
              aria-label={`${change === null ? "Keep" : "Remove"} ${title}`}
              onClick={() => onChange(change === null ? undefined : null)}
            >
              {change === null ? "Keep it" : "Remove"}
            </Button>
          )}
          {change === undefined ? <SourceBadge setting={setting} /> : <Badge tone="wait">Not saved</Badge>}
        </span>
      }
    >
      {choices === undefined
        ? (
          <Input
            type={secret ? "password" : "text"}
            autoComplete={secret ? "new-password" : "off"}
            spellCheck={false}
            disabled={locked}
            placeholder={change === null
              ? "Removed when you save"
              : secret && is_set
              ? locked ? "Set, and never shown" : "Set, and never shown. Type to replace it"
              : expected === "a text"
              ? ""
              : expected}
            value={shown}
            onChange={({ target }) => typed(target.value)}
          />
        )
        : (
          <Select disabled={locked} value={shown} onChange={({ target }) => typed(target.value)}>
            {(shown === "" || change === null) && <option value="">Default</option>}
            {choices.map((choice) => <option key={choice} value={choice}>{nameOf(choice, expected)}</option>)}
          </Select>
        )}
    </Field>
  )
}
