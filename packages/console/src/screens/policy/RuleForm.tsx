import { useQuery } from "@tanstack/react-query"
import type { Rule } from "@troupe/client"
import { ruleText } from "@troupe/client/RuleText"
import { useState } from "react"
import { Button } from "../../parts/Button.tsx"
import { Checkbox } from "../../parts/Checkbox.tsx"
import { DialogActions } from "../../parts/DialogActions.tsx"
import { Field, Input, TextArea } from "../../parts/Field.tsx"
import { Form } from "../../parts/Form.tsx"
import { Modal } from "../../parts/Modal.tsx"
import { toggled } from "../../parts/Toggled.ts"
import { agentsQuery } from "../../service/AgentQueries.ts"
import { policyToolsQuery } from "../../service/PolicyQueries.ts"
import { useNameOf } from "../../service/UserNames.ts"
import { Approvers } from "./Approvers.tsx"
import { ArgumentTests } from "./ArgumentTests.tsx"
import { argumentFault, choices, emptyRule, fieldsOf, type RuleFields, ruleOf } from "./RuleFields.ts"

const effects = [["ask", "Ask before it"], ["deny", "Deny it"], ["allow", "Allow it"]] as const

const terms = [
  ["class", "Class of the tool"],
  ["context", "What the agent has read"],
  ["source", "Where the request came from"],
  ["requester", "Who asked for the task"]
] as const

const titles: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  context: { trusted: "only words of the task's people", outside: "also something from outside" },
  source: { api: "console and API", email: "mail" },
  requester: { unknown: "unknown sender", system: "nobody (a webhook or a schedule)" }
}

/** All of a rule, with the sentence that it is. The dialog changes nothing that is saved. */
export const RuleForm = ({ given, onClose, onDone }: {
  readonly given?: Rule
  readonly onClose: () => void
  readonly onDone: (rule: Rule) => void
}) => {
  const [fields, setFields] = useState(given === undefined ? emptyRule : fieldsOf(given))
  const [isChecked, setIsChecked] = useState(false)
  const nameOf = useNameOf()
  const tools = useQuery(policyToolsQuery).data ?? []
  const agents = useQuery(agentsQuery).data ?? []
  const set = (change: Partial<RuleFields>) => setFields((before) => ({ ...before, ...change }))
  const { args, because, chosen, effect, tool, typed, who } = fields
  const toolFault = tool.trim() === "" ? "Which tool? * is every one." : undefined
  const whoFault = effect === "ask" && who.length === 0 ? "Somebody must be able to approve." : undefined
  const isWrong = toolFault !== undefined || whoFault !== undefined ||
    args.some((arg) => argumentFault(arg) !== undefined)
  const send = () => {
    setIsChecked(true)
    if (isWrong) return
    onDone(ruleOf(fields))
    onClose()
  }
  const typedField = (name: keyof RuleFields["typed"], label: string, hint: string, list?: string) => (
    <Field label={label} hint={hint}>
      <Input
        spellCheck={false}
        autoComplete="off"
        list={list}
        value={typed[name]}
        onChange={({ target }) =>
          set({ typed: { ...typed, [name]: target.value } })}
      />
    </Field>
  )
  return (
    <Modal
      isOpen
      keepsInput
      onClose={onClose}
      title={given === undefined ? "Add a rule" : "Change the rule"}
      width="max-w-2xl"
    >
      <Form onSubmit={send}>
        <p aria-live="polite" className="rounded-md bg-raised px-3 py-2 break-words">
          {isWrong && toolFault !== undefined
            ? "Choose what is to be done, and with which tool. The rule is then shown here as a sentence."
            : ruleText(ruleOf(fields), nameOf)}
        </p>
        <fieldset>
          <legend className="mb-1 font-medium">When an agent is about to call the tool</legend>
          <div className="flex flex-wrap gap-x-4 gap-y-1">
            {effects.map(([name, title]) => (
              <label key={name} className="flex items-center gap-2">
                <input type="radio" name="effect" checked={effect === name} onChange={() => set({ effect: name })} />
                {title}
              </label>
            ))}
          </div>
        </fieldset>
        <Field
          label="Tool"
          hint="Type to choose one, such as send_email; * is any text: github__* are all tools of the server github"
          error={isChecked ? toolFault : undefined}
        >
          <Input
            spellCheck={false}
            autoComplete="off"
            list="policy-tools"
            value={tool}
            onChange={({ target }) => set({ tool: target.value })}
          />
        </Field>
        <datalist id="policy-tools">{tools.map(({ name }) => <option key={name} value={name} />)}</datalist>
        {effect === "ask" && (
          <Approvers
            who={who}
            error={isChecked ? whoFault : undefined}
            onChange={(next) => set({ who: next })}
          />
        )}
        <Field label="Because" hint="Ends the sentence; shown to the approver, and where it denies, to the agent">
          <TextArea
            className="min-h-16"
            maxLength={1_000}
            value={because}
            onChange={({ target }) => set({ because: target.value })}
          />
        </Field>
        <details open={given?.when !== undefined}>
          <summary className="cursor-pointer font-medium">Only if …</summary>
          <div className="mt-2 flex flex-col gap-3 border-l-2 pl-3">
            <p className="text-xs text-muted">
              All of it must hold. What can't be told, such as an argument that a call lacks, counts as holding where
              the rule asks or denies, and as not holding where it allows.
            </p>
            <ArgumentTests args={args} isChecked={isChecked} onChange={(next) => set({ args: next })} />
            {terms.map(([name, title]) => (
              <fieldset key={name}>
                <legend className="mb-1 font-medium">{title}</legend>
                <div className="flex flex-wrap gap-x-4 gap-y-1">
                  {choices[name].map((choice) => (
                    <Checkbox
                      key={choice}
                      isChecked={chosen[name].includes(choice)}
                      onChange={(isChecked) =>
                        set({
                          chosen: {
                            ...chosen,
                            [name]: toggled(chosen[name], choice, isChecked)
                          }
                        })}
                    >
                      {titles[name]?.[choice] ?? choice}
                    </Checkbox>
                  ))}
                </div>
              </fieldset>
            ))}
            <div className="grid gap-3 sm:grid-cols-3">
              {typedField("agent", "Agent", "By its name", "policy-agents")}
              {typedField("project", "Project", "The channel or project")}
              {typedField("schedule", "Schedule", "By its id")}
            </div>
            <datalist id="policy-agents">{agents.map(({ name }) => <option key={name} value={name} />)}</datalist>
            <p className="text-xs text-muted">Several names: with a comma between them.</p>
          </div>
        </details>
        <DialogActions onCancel={onClose}>
          <Button kind="primary" type="submit">{given === undefined ? "Add the rule" : "Change the rule"}</Button>
        </DialogActions>
      </Form>
    </Modal>
  )
}
