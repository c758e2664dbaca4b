import { useQuery } from "@tanstack/react-query"
import type { LanguageModel } from "@troupe/client"
import { useState } from "react"
import { toast } from "sonner"
import { Button } from "../../parts/Button.tsx"
import { Checkbox } from "../../parts/Checkbox.tsx"
import { DialogActions } from "../../parts/DialogActions.tsx"
import { Field, Input, inputLook } from "../../parts/Field.tsx"
import { Form } from "../../parts/Form.tsx"
import { Modal } from "../../parts/Modal.tsx"
import { fieldError } from "../../parts/Outcome.ts"
import { plural } from "../../parts/Plural.ts"
import { Problem } from "../../parts/Problem.tsx"
import { numberFault } from "../../parts/TypedText.ts"
import {
  modelServersQuery,
  modelsQuery,
  useCatalogue,
  useChooseModel,
  useSaveModel,
  useTryModel
} from "../../service/ModelQueries.ts"
import {
  emptyModel,
  entryOf,
  fieldsOf,
  isProvider,
  type ModelFields,
  placeOf,
  providers,
  providerTitle
} from "./ModelFields.ts"

/** Connects a model, or changes one: it is tested, then saved. A key that is not typed anew stays as it is. */
export const ModelForm = ({ given, onClose }: {
  readonly given?: LanguageModel
  readonly onClose: () => void
}) => {
  const report = useQuery(modelsQuery).data
  const servers = useQuery({ ...modelServersQuery, enabled: given === undefined }).data ?? []
  const [before] = useState(given === undefined ? emptyModel : fieldsOf(given))
  const [fields, setFields] = useState(before)
  const [key, setKey] = useState("")
  const [isDefault, setIsDefault] = useState(given === undefined)
  const catalogue = useCatalogue()
  const trial = useTryModel()
  const save = useSaveModel()
  const choose = useChooseModel()
  const set = (change: Partial<ModelFields>) => setFields((before) => ({ ...before, ...change }))
  const isBusy = trial.isPending || save.isPending || choose.isPending
  const error = save.error ?? trial.error ?? choose.error
  const stored = given === undefined ? {} : { name: given.name }
  const name = fields.name.trim()
  // Saving it would replace the other one.
  const nameFault =
    given === undefined && save.variables?.name !== name && report?.models.some((one) => one.name === name) === true
      ? "A model has this name already. Choose another name"
      : undefined
  const faults = [fields.context_tokens, fields.temperature, fields.input, fields.output, fields.cached_input]
    .map(numberFault)
  const [contextFault, temperatureFault, inputFault, outputFault, cachedFault] = faults

  const list = (change: Partial<ModelFields> = {}) => {
    const next = { ...fields, ...change }
    setFields(next)
    catalogue.mutate({ ...placeOf(next, key), ...stored })
  }
  const saved = async () => {
    await save.mutateAsync({ name, entry: entryOf(fields, key, before) })
    if (isDefault && report !== undefined && report.default !== name) {
      await choose.mutateAsync({ default: name, fallbacks: report.fallbacks.filter((one) => one !== name) })
    }
    toast.success(isDefault ? `${fields.model.trim()} is connected and does the work from now on` : `${name} is saved`)
    onClose()
  }
  const send = () => {
    if (isBusy || [nameFault, ...faults].some((fault) => fault !== undefined)) return
    void trial.mutateAsync({ ...entryOf(fields, key, before), ...stored })
      .then((tested) => tested.ok ? saved() : undefined)
      .catch(() => undefined)
  }
  // What counts while the field is empty.
  const usual: Partial<Record<keyof ModelFields, string>> = given === undefined ? {} : {
    base_url: given.base_url ?? "",
    context_tokens: String(given.context_tokens),
    temperature: String(given.temperature)
  }
  const line = (field: Exclude<keyof ModelFields, "provider">, label: string, hint: string, fault?: string) => (
    <Field label={label} hint={hint} error={fault ?? fieldError(error, field)}>
      <Input
        spellCheck={false}
        autoComplete="off"
        placeholder={usual[field]}
        value={fields[field]}
        onChange={({ target }) =>
          set({ [field]: target.value })}
      />
    </Field>
  )
  const names = catalogue.data?.models ?? []
  return (
    <Modal isOpen keepsInput onClose={onClose} title={given === undefined ? "Connect a model" : `Change ${given.name}`}>
      <Form onSubmit={send}>
        {servers.map(({ base_url, models, title }) => (
          <p key={base_url} className="flex items-center justify-between gap-2 rounded-md bg-good-soft px-3 py-2">
            {title} answers at {base_url} on the machine of the service.
            <Button
              size="small"
              onClick={() =>
                list({ provider: "openai-compatible", base_url, model: models[0] ?? "" })}
            >
              Use it
            </Button>
          </p>
        ))}
        <label className="flex flex-col gap-1 font-medium">
          Provider
          <select
            className={inputLook("w-full font-normal")}
            value={fields.provider}
            onChange={({ target }) =>
              isProvider(target.value) && set({ provider: target.value, base_url: "" })}
          >
            {providers.map((name) => <option key={name} value={name}>{providerTitle(name)}</option>)}
          </select>
        </label>
        {line(
          "base_url",
          "Address",
          fields.provider === "openai-compatible"
            ? "Up to /v1, such as http://127.0.0.1:11434/v1"
            : "Leave empty for the address of the provider"
        )}
        <Field
          label="Key"
          hint={given?.has_key === true
            ? "Leave empty to keep the stored one. It is never shown"
            : fields.provider === "openai-compatible"
            ? "Only if the server asks for one"
            : "Stored encrypted, and never shown again"}
          error={fieldError(error, "api_key")}
        >
          <Input
            type="password"
            autoComplete="off"
            value={key}
            onChange={({ target }) =>
              setKey(target.value)}
          />
        </Field>
        <Field
          label="Model"
          hint="The name that the provider uses"
          error={fieldError(error, "model")}
          aside={
            <Button
              size="small"
              disabled={catalogue.isPending}
              onClick={() => list()}
            >
              {catalogue.isPending ? "Asking …" : "List models"}
            </Button>
          }
        >
          <Input
            spellCheck={false}
            autoComplete="off"
            list="model-names"
            value={fields.model}
            onChange={({ target }) =>
              set({ model: target.value })}
          />
        </Field>
        <datalist id="model-names">{names.map((name) => <option key={name} value={name} />)}</datalist>
        {names.length > 0 && (
          <p className="text-muted">The provider offers {plural(names.length, "model")}. Type to choose one.</p>
        )}
        {catalogue.data !== undefined && catalogue.data.detail !== null && (
          <p className="text-bad">{catalogue.data.detail}</p>
        )}
        {catalogue.error !== null && <Problem error={catalogue.error} title="The models could not be listed" />}
        {given === undefined && line("name", "Name here", "Any name: it is shown in lists and in the log", nameFault)}
        <details>
          <summary className="cursor-pointer text-muted">More: its price, context window and temperature</summary>
          <div className="mt-2 grid gap-3 sm:grid-cols-2">
            {line("context_tokens", "Context window", "Tokens; empty: the usual one", contextFault)}
            {line("temperature", "Temperature", "0 to 2; empty: the usual one", temperatureFault)}
            {line("input", "Price of input", "Per million tokens; empty: the list price, if it is known", inputFault)}
            {line("output", "Price of output", "Per million tokens", outputFault)}
            {line("cached_input", "Price of cached input", "Per million tokens; empty: that of input", cachedFault)}
          </div>
        </details>
        <Checkbox isChecked={isDefault} onChange={setIsDefault}>Make it the default model</Checkbox>
        {trial.data?.ok === false && (
          <p role="alert" className="rounded-md border border-bad/40 bg-bad-soft px-3 py-2 break-words">
            The test failed: {trial.data.detail}
          </p>
        )}
        {error !== null && (
          <Problem error={error} fields={Object.keys(emptyModel).concat("api_key")} title="The model was not saved" />
        )}
        <DialogActions onCancel={onClose}>
          {trial.data?.ok === false && (
            <Button
              disabled={isBusy}
              onClick={() =>
                void saved().catch(() => undefined)}
            >
              Save anyway
            </Button>
          )}
          <Button kind="primary" type="submit" disabled={isBusy}>{isBusy ? "Testing …" : "Test and save"}</Button>
        </DialogActions>
      </Form>
    </Modal>
  )
}
