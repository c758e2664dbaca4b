import { Tabs } from "@base-ui/react/tabs"
import { Field, TextArea } from "../../parts/Field.tsx"
import { RichText } from "../../parts/RichText.tsx"

const tabLook = "h-7 rounded-md px-2 text-xs text-muted hover:text-text data-active:bg-raised data-active:text-text"

/** The request in markdown, with its preview. */
export const MessageEditor = ({ error, message, onChange }: {
  readonly message: string
  readonly error: string | undefined
  readonly onChange: (message: string) => void
}) => (
  <Tabs.Root defaultValue="write">
    <Tabs.List className="mb-1 flex gap-1">
      <Tabs.Tab value="write" className={tabLook}>Write</Tabs.Tab>
      <Tabs.Tab value="preview" className={tabLook}>Preview</Tabs.Tab>
    </Tabs.List>
    <Tabs.Panel value="write">
      <Field label="What should the agent do?" error={error}>
        <TextArea
          autoFocus
          rows={8}
          value={message}
          placeholder="Describe the result you want. Markdown works."
          onChange={({ target }) => onChange(target.value)}
        />
      </Field>
    </Tabs.Panel>
    <Tabs.Panel value="preview" className="min-h-52 rounded-md border p-3">
      {message.trim() === "" ? <p className="text-muted">Nothing to show yet.</p> : <RichText text={message} />}
    </Tabs.Panel>
  </Tabs.Root>
)
