import { Button } from "../../parts/Button.tsx"
import { inputLook } from "../../parts/Field.tsx"
import { Plus, Trash2 } from "../../parts/Icons.ts"
import { argumentFault, type ArgumentFields, isOperator, operators } from "./RuleFields.ts"

const hints = {
  is: "Text, a number, true, false or null; \"5\" in quotes is a text",
  in: "Values with a comma between them",
  glob: "* is any text, ? one character",
  domain_in: "example.org, *.example.org",
  over: "A number",
  under: "A number"
} as const

/** The tests of arguments, of which all must hold. */
export const ArgumentTests = ({ args, isChecked, onChange }: {
  readonly args: ReadonlyArray<ArgumentFields>
  /** Faults are shown. */
  readonly isChecked: boolean
  readonly onChange: (args: ReadonlyArray<ArgumentFields>) => void
}) => (
  <fieldset className="flex flex-col gap-2">
    <legend className="mb-1 font-medium">Arguments</legend>
    {args.map((field, index) => {
      const set = (change: Partial<ArgumentFields>) =>
        onChange(args.map((one, at) => at === index ? { ...one, ...change } : one))
      const fault = isChecked ? argumentFault(field) : undefined
      const number = index + 1
      return (
        <div key={index}>
          <div className="grid grid-cols-[1fr_1fr_auto] gap-2 sm:grid-cols-[1fr_9rem_1fr_auto]">
            <input
              aria-label={`Argument ${number}`}
              placeholder="/to"
              spellCheck={false}
              autoComplete="off"
              className={inputLook("w-full font-mono max-sm:col-span-2")}
              value={field.pointer}
              onChange={({ target }) => set({ pointer: target.value })}
            />
            <select
              aria-label={`Test of argument ${number}`}
              className={inputLook("w-full max-sm:col-start-1")}
              value={field.operator}
              onChange={({ target }) => isOperator(target.value) && set({ operator: target.value })}
            >
              {Object.entries(operators).map(([name, text]) => <option key={name} value={name}>{text}</option>)}
            </select>
            <input
              aria-label={`Value of argument ${number}`}
              aria-invalid={fault !== undefined}
              spellCheck={false}
              autoComplete="off"
              className={inputLook("w-full")}
              value={field.value}
              onChange={({ target }) => set({ value: target.value })}
            />
            <Button
              kind="ghost"
              size="icon"
              className="max-sm:col-start-3 max-sm:row-start-1"
              aria-label={`Delete the test of argument ${number}`}
              title="Delete"
              onClick={() => onChange(args.filter((_, at) => at !== index))}
            >
              <Trash2 aria-hidden />
            </Button>
          </div>
          <p className={`text-xs ${fault === undefined ? "text-muted" : "text-bad"}`}>
            {fault ?? hints[field.operator]}
          </p>
        </div>
      )
    })}
    <Button
      size="small"
      className="self-start"
      onClick={() => onChange([...args, { pointer: "", operator: "is", value: "" }])}
    >
      <Plus aria-hidden /> Test an argument
    </Button>
  </fieldset>
)
