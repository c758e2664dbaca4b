import type { ToolServerEntry } from "@troupe/client"
import { useState } from "react"
import { toast } from "sonner"
import { Button } from "../../parts/Button.tsx"
import { Checkbox } from "../../parts/Checkbox.tsx"
import { DialogActions } from "../../parts/DialogActions.tsx"
import { Field, Input, inputLook, TextArea } from "../../parts/Field.tsx"
import { Form } from "../../parts/Form.tsx"
import { Modal } from "../../parts/Modal.tsx"
import { wholeNumberFault } from "../../parts/Numbers.ts"
import { fieldError } from "../../parts/Outcome.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useDraftFields } from "../../service/Drafts.ts"
import { useSaveServer } from "../../service/ToolServerQueries.ts"
import type { KnownServer } from "./Gallery.tsx"
import { emptyServer, entryOf, fieldsOf, lostSecrets, secretsOf, type ServerFields } from "./ServerFields.ts"

const mono = "font-mono text-xs"

/** Adds a server, one of the gallery maybe, or changes one. Secrets that are not typed anew stay as they are; they are no part of the draft. */
export const ServerForm = ({ given, known, onClose }: {
  readonly given?: { readonly name: string; readonly entry: ToolServerEntry }
  readonly known?: KnownServer
  readonly onClose: () => void
}) => {
  const stored = given === undefined ? known?.fields ?? emptyServer : fieldsOf(given.name, given.entry)
  const { secrets: givenSecrets, ...initial } = stored
  const draft = useDraftFields(`tool-server-${given?.name ?? known?.title ?? ""}`, initial)
  const [secrets, setSecrets] = useState(givenSecrets)
  const [wrong, setWrong] = useState<string>()
  const [hasMore] = useState(initial.allowed_tools + initial.timeout_seconds !== "" || initial.disabled === "true")
  const save = useSaveServer()
  const fields: ServerFields = { ...draft.fields, secrets }
  const { kind, name } = fields
  const isCommand = kind === "command"
  const lost = lostSecrets(fields, stored)
  const timeoutFault = wholeNumberFault(fields.timeout_seconds)
  const fault = (field: string) =>
    (field === "timeout_seconds" ? timeoutFault : undefined)
      ?? fieldError(save.error, `mcpServers.${name.trim()}.${field}`)
  const send = () => {
    const line = secretsOf(secrets, isCommand ? "=" : ":").wrong
    setWrong(line === undefined ? undefined : `“${line}” is not written as ${isCommand ? "NAME=value" : "Name: value"}`)
    if (line !== undefined || timeoutFault !== undefined || save.isPending) return
    void save.mutateAsync({ name: name.trim(), entry: entryOf(fields) }).then((report) => {
      draft.clear()
      onClose()
      const server = report.servers.find((one) => one.name === name.trim())
      return server?.status === "failed"
        ? toast.error(`${server.name} is saved, but not connected`)
        : toast.success(`${name.trim()} is saved`)
    }, () => undefined)
  }
  const discard = () => {
    // What is stored is shown again, and not what was typed.
    if (given !== undefined) draft.clear()
    onClose()
  }
  const line = (field: Exclude<keyof ServerFields, "kind">, label: string, hint: string, look = "") => (
    <Field label={label} hint={hint} error={fault(field)}>
      <Input
        className={look}
        spellCheck={false}
        value={fields[field]}
        onChange={({ target }) =>
          draft.set({ [field]: target.value })}
      />
    </Field>
  )
  const area = (field: "allowed_tools" | "args", label: string, hint: string) => (
    <Field label={label} hint={hint} error={fault(field)}>
      <TextArea
        rows={3}
        spellCheck={false}
        className={`min-h-16 ${mono}`}
        value={fields[field]}
        onChange={({ target }) =>
          draft.set({ [field]: target.value })}
      />
    </Field>
  )
  return (
    <Modal
      isOpen
      keepsInput
      onClose={onClose}
      title={given === undefined
        ? known === undefined ? "Add a tool server" : `Add ${known.title}`
        : `Change ${given.name}`}
    >
      <Form
        onSubmit={send}
      >
        {known !== undefined && (
          <p className="rounded-md bg-accent-soft px-3 py-2">
            {known.text}. Needs: {known.needs}.
          </p>
        )}
        <div className="grid gap-3 sm:grid-cols-2">
          {given === undefined && line("name", "Name", "Its tools are called name__tool")}
          <label className="flex flex-col gap-1 font-medium">
            Type
            <select
              className={inputLook("w-full font-normal")}
              value={kind}
              onChange={({ target }) => draft.set({ kind: target.value === "url" ? "url" : "command" })}
            >
              <option value="command">A program on this machine</option>
              <option value="url">A server at a web address</option>
            </select>
          </label>
        </div>
        {isCommand
          ? (
            <>
              {line("command", "Command", "Such as npx, uvx, node or a path", mono)}
              {area("args", "Arguments", "One per line")}
              {line("cwd", "Folder", "Where it starts; leave empty for the folder of the service", mono)}
            </>
          )
          : (
            <div className="grid gap-3 sm:grid-cols-[minmax(0,1fr)_11rem]">
              {line("url", "Address", "Such as https://example.org/mcp", mono)}
              <label className="flex flex-col gap-1 font-medium">
                Protocol
                <select
                  className={inputLook("w-full font-normal")}
                  value={fields.type}
                  onChange={({ target }) => draft.set({ type: target.value })}
                >
                  <option value="http">Streamable HTTP</option>
                  <option value="sse">Server-sent events</option>
                </select>
              </label>
            </div>
          )}
        <Field
          label={isCommand ? "Environment variables" : "Headers"}
          hint={`One per line, such as ${
            isCommand ? "NAME=value" : "Name: value"
          }. ******** keeps a value that is stored; values are never shown, and not kept in this browser`}
          error={wrong ?? fault(isCommand ? "env" : "headers")}
        >
          <TextArea
            rows={3}
            spellCheck={false}
            autoComplete="off"
            className={`min-h-16 ${mono}`}
            value={secrets}
            onChange={({ target }) => {
              setSecrets(target.value)
              setWrong(undefined)
            }}
          />
        </Field>
        {lost.length > 0 && (
          <p className="rounded-md bg-wait-soft px-3 py-2 break-words" role="status">
            <span className="font-medium">
              Type the {lost.length === 1 ? "value" : "values"} of {lost.join(", ")} again.
            </span>{" "}
            A stored value is kept only for the same{" "}
            {isCommand ? "program, arguments and folder, beside the same variables" : "address"}: otherwise a change
            could send it elsewhere.
          </p>
        )}
        <details open={hasMore}>
          <summary className="w-fit text-muted hover:text-text">Which tools, time-out, disabled</summary>
          <div className="mt-2 flex flex-col gap-3">
            {area("allowed_tools", "Allowed tools", "One name per line; leave empty for all")}
            {line("timeout_seconds", "Time-out of a call", "In seconds, 1 to 600; leave empty for MCP_CALL_TIMEOUT")}
            <Checkbox
              isChecked={fields.disabled === "true"}
              onChange={(isChecked) => draft.set({ disabled: String(isChecked) })}
            >
              Disabled: the configuration is kept, but the server is not started
            </Checkbox>
          </div>
        </details>
        {save.error !== null && <Problem error={save.error} title="The server was not saved" />}
        <p className="text-xs text-muted">
          If you change what it runs or allows, you also accept the tools that it offers now.
        </p>
        <DialogActions onCancel={discard}>
          <Button
            kind="primary"
            type="submit"
            disabled={name.trim() === "" || timeoutFault !== undefined || save.isPending}
          >
            {save.isPending ? "Connecting …" : "Save and connect"}
          </Button>
        </DialogActions>
      </Form>
    </Modal>
  )
}
