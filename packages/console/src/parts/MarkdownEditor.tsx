import { Tabs } from "@base-ui/react/tabs"
import { Field, TextArea } from "./Field.tsx"
import { RichText } from "./RichText.tsx"
import { textTabLook } from "./TabLook.ts"

/** A text in markdown, with its preview. */
export const MarkdownEditor = (
  { error, hasFocus = false, hint, isTyped = false, label, onChange, placeholder, rows, text }: {
    readonly label: string
    readonly hint?: string
    readonly placeholder?: string
    readonly rows: number
    readonly hasFocus?: boolean
    readonly isTyped?: boolean
    readonly text: string
    readonly error: string | undefined
    readonly onChange: (text: string) => void
  }
) => (
  <Tabs.Root defaultValue="write">
    <Tabs.List className="mb-1 flex gap-1">
      <Tabs.Tab value="write" className={textTabLook}>Write</Tabs.Tab>
      <Tabs.Tab value="preview" className={textTabLook}>Preview</Tabs.Tab>
    </Tabs.List>
    <Tabs.Panel value="write">
      <Field label={label} error={error} {...(hint === undefined ? {} : { hint })}>
        <TextArea
          autoFocus={hasFocus}
          rows={rows}
          value={text}
          placeholder={placeholder}
          onChange={({ target }) => onChange(target.value)}
        />
      </Field>
    </Tabs.Panel>
    <Tabs.Panel value="preview" className="min-h-52 rounded-md border p-3">
      {text.trim() === ""
        ? <p className="text-muted">Nothing to show yet.</p>
        : <RichText isTyped={isTyped} text={text} />}
    </Tabs.Panel>
  </Tabs.Root>
)
