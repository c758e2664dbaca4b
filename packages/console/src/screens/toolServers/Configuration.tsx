import { type MCPConfigRequest, TroupeError } from "@troupe/client"
import { useState } from "react"
import { toast } from "sonner"
import { Button } from "../../parts/Button.tsx"
import { Field, TextArea } from "../../parts/Field.tsx"
import { Modal } from "../../parts/Modal.tsx"
import { plural } from "../../parts/Plural.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useConfigure } from "../../service/ToolServerQueries.ts"

const example = JSON.stringify(
  { mcpServers: { files: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "/srv/shared"] } } },
  null,
  2
)

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

/** The configuration of all servers. It has secrets, so it is neither shown again nor kept as a draft. */
export const Configuration = ({ names, onClose }: {
  readonly names: ReadonlyArray<string>
  readonly onClose: () => void
}) => {
  const [text, setText] = useState("")
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
    <Modal isOpen onClose={onClose} title="Configure tool servers" width="max-w-2xl">
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        <p>
          This replaces the configuration of all servers and accepts their tools as they are. The service never shows
          the current one, because it has secrets; keep yours in a safe place.
        </p>
        <Field label="Configuration as JSON" error={mistake}>
          <TextArea
            autoFocus
            rows={14}
            spellCheck={false}
            value={text}
            placeholder={example}
            onChange={({ target }) => {
              setText(target.value)
              setMistake(undefined)
            }}
          />
        </Field>
        {missing.length > 0 && (
          <p className="rounded-md bg-wait-soft px-3 py-2">
            Not in this configuration, so stopped and removed: {missing.join(", ")}
          </p>
        )}
        {configure.error !== null && <Problem error={configure.error} title="The configuration was not saved" />}
        {configure.error instanceof TroupeError && configure.error.errors.length > 0 && (
          <ul className="list-disc pl-5">
            {configure.error.errors.map(({ message, path }) => (
              <li key={`${path} ${message}`} className="break-words">
                <code className="font-mono text-xs">{path}</code>: {message}
              </li>
            ))}
          </ul>
        )}
        <div className="flex justify-end gap-2">
          {text === "" && <Button className="mr-auto" onClick={() => setText(example)}>Start from the example</Button>}
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={configure.isPending}>
            {configure.isPending ? "Connecting …" : "Save and connect"}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
