import { useQuery } from "@tanstack/react-query"
import { type MCPConfigRequest, TroupeError } from "@troupe/client"
import { useState } from "react"
import { toast } from "sonner"
import { Button } from "../../parts/Button.tsx"
import { Details } from "../../parts/Details.tsx"
import { DialogActions } from "../../parts/DialogActions.tsx"
import { Field, TextArea } from "../../parts/Field.tsx"
import { Form } from "../../parts/Form.tsx"
import { plural } from "../../parts/Plural.ts"
import { Problem } from "../../parts/Problem.tsx"
import { configurationQuery, useConfigure } from "../../service/ToolServerQueries.ts"

const example = {
  mcpServers: { files: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "/srv"] } }
}

const isConfiguration = (value: unknown): value is MCPConfigRequest =>
  typeof value === "object" && value !== null && "mcpServers" in value && typeof value.mcpServers === "object"
  && value.mcpServers !== null

/** What was typed as a configuration, or why it is none. The service checks its fields. */
const read = (text: string): MCPConfigRequest | string => {
  try {
    const value: unknown = JSON.parse(text)
    return isConfiguration(value) ? value : "An object with \"mcpServers\" is needed, as in the example"
  } catch (cause) {
    return `This is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`
  }
}

const Faults = ({ error }: { readonly error: unknown }) =>
  error instanceof TroupeError && error.errors.length > 0 && (
    <ul className="list-disc pl-5">
      {error.errors.map(({ message, path }) => (
        <li key={`${path} ${message}`} className="break-words">
          <code className="font-mono text-xs">{path}</code>: {message}
        </li>
      ))}
    </ul>
  )

const Editor = ({ current, onClose }: { readonly current: MCPConfigRequest; readonly onClose: () => void }) => {
  const names = Object.keys(current.mcpServers)
  const [text, setText] = useState(() => JSON.stringify(names.length === 0 ? example : current, null, 2))
  const [mistake, setMistake] = useState<string>()
  const configure = useConfigure()
  const save = () => {
    if (configure.isPending) return
    const configuration = read(text)
    setMistake(typeof configuration === "string" ? configuration : undefined)
    if (typeof configuration === "string") return
    configure.mutate(configuration, {
      onSuccess: ({ connected_servers, total_servers }) => {
        onClose()
        toast.success("Configuration saved", {
          description: `${connected_servers} of ${plural(total_servers, "server")} connected.`
        })
      }
    })
  }
  const given = read(text)
  const missing = typeof given === "string" ? [] : names.filter((name) => !(name in given.mcpServers))
  return (
    <Form
      onSubmit={save}
    >
      <p>
        The format of other assistants, so that what the documentation of a server shows can be pasted. ******** keeps a
        stored secret while the program or address that gets it stays the same, and all variables beside it. Saving
        accepts the tools of the servers that it changes.
      </p>
      <Field label="Configuration as JSON" error={mistake}>
        <TextArea
          autoFocus
          rows={16}
          spellCheck={false}
          autoComplete="off"
          className="min-h-40 font-mono text-xs"
          value={text}
          onChange={({ target }) => {
            setText(target.value)
            setMistake(undefined)
          }}
        />
      </Field>
      {missing.length > 0 && (
        <p className="rounded-md bg-wait-soft px-3 py-2">
          Not in this configuration, so stopped and deleted: {missing.join(", ")}
        </p>
      )}
      {configure.error !== null && <Problem error={configure.error} title="The configuration was not saved" />}
      <Faults error={configure.error} />
      <DialogActions onCancel={onClose}>
        <Button kind="primary" type="submit" disabled={configure.isPending}>
          {configure.isPending ? "Connecting …" : "Save and connect"}
        </Button>
      </DialogActions>
    </Form>
  )
}

/** The configuration of all servers. It may have secrets that were just typed, so it is no draft of this browser. */
export const Configuration = ({ onClose }: { readonly onClose: () => void }) => (
  <Details
    name="configuration"
    keepsInput
    titleOf={() => "Configuration of all tool servers"}
    query={useQuery(configurationQuery)}
    width="max-w-2xl"
    onClose={onClose}
  >
    {(current) => <Editor current={current} onClose={onClose} />}
  </Details>
)
