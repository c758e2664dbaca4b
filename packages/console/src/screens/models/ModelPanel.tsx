import type { LanguageModel, LanguageModels } from "@troupe/client"
import { toast } from "sonner"
import { Badge, type Tone } from "../../parts/Badge.tsx"
import { Button } from "../../parts/Button.tsx"
import { Delete } from "../../parts/Delete.tsx"
import { Pencil } from "../../parts/Icons.ts"
import { moneyText, numberText } from "../../parts/Numbers.ts"
import { announced } from "../../parts/Outcome.ts"
import { Panel } from "../../parts/Panel.tsx"
import { useChooseModel, useDeleteModel, useTestModel } from "../../service/ModelQueries.ts"
import { providerTitle } from "./ModelFields.ts"

const states: Readonly<Record<LanguageModel["status"], readonly [text: string, tone: Tone]>> = {
  answers: ["Answers", "good"],
  wrong_key: ["Wrong key", "bad"],
  unknown_model: ["Unknown model", "bad"],
  unavailable: ["Unavailable", "bad"],
  refused: ["Refused", "bad"],
  untested: ["Not called yet", "muted"]
}

/** One model: whether it answers, and its place among the others. */
export const ModelPanel = ({ model, onEdit, report: { default: first, fallbacks } }: {
  readonly model: LanguageModel
  readonly report: LanguageModels
  readonly onEdit: () => void
}) => {
  const { name, price, provider, status } = model
  const test = useTestModel()
  const choose = useChooseModel()
  const remove = useDeleteModel()
  const [text, tone] = states[status]
  const place = fallbacks.indexOf(name)
  const isDefault = name === first
  const placed = (choice: { readonly default: string; readonly fallbacks: ReadonlyArray<string> }, done: string) =>
    choose.mutate(choice, announced(done, "Nothing was changed"))
  const others = fallbacks.filter((one) => one !== name)
  return (
    <Panel
      title={name === "settings" ? "Model of the settings" : name}
      actions={
        <span className="flex flex-wrap justify-end gap-2">
          {isDefault && <Badge tone="accent">Default</Badge>}
          {place >= 0 && <Badge>Fallback {place + 1}</Badge>}
          <Badge tone={tone}>{text}</Badge>
        </span>
      }
    >
      <div className="flex flex-col gap-2">
        <p className="break-words">
          <span className="font-mono text-xs">{model.model}</span>
          {provider === "offline"
            ? ": built in, it understands no language"
            : ` · ${
              provider === "openai-compatible"
                ? model.base_url ?? ""
                : model.overrides.includes("base_url")
                ? `${model.base_url ?? ""} (interface of ${providerTitle(provider)})`
                : providerTitle(provider)
            }`}
          {` · ${numberText(model.context_tokens)} tokens`}
          {price !== null
            ? ` · ${moneyText(price.input)} in, ${moneyText(price.output)} out per million`
            : provider !== "offline" && " · price not known, so costs are not either: Change has a place for it"}
        </p>
        <p className="break-words text-muted">{model.detail}</p>
        <div className="flex flex-wrap gap-2">
          <Button
            disabled={test.isPending}
            onClick={() =>
              test.mutate(name, {
                onSuccess: ({ detail, ok }) =>
                  ok ? toast.success(detail) : toast.error(`${name} did not answer`, { description: detail })
              })}
          >
            {test.isPending ? "Testing …" : "Test"}
          </Button>
          {!isDefault && (
            <Button
              disabled={choose.isPending}
              onClick={() => placed({ default: name, fallbacks: others }, `${name} is the default`)}
            >
              Make it the default
            </Button>
          )}
          {!isDefault && (
            <Button
              disabled={choose.isPending}
              onClick={() =>
                place >= 0
                  ? placed({ default: first, fallbacks: others }, `${name} is no fallback any more`)
                  : placed({ default: first, fallbacks: [...others, name] }, `${name} is a fallback`)}
            >
              {place >= 0 ? "No fallback" : "Use as fallback"}
            </Button>
          )}
          {place > 0 && (
            <Button
              disabled={choose.isPending}
              onClick={() =>
                placed(
                  { default: first, fallbacks: [...others.slice(0, place - 1), name, ...others.slice(place - 1)] },
                  `${name} is tried earlier`
                )}
            >
              Earlier
            </Button>
          )}
          {model.source === "stored" && (
            <>
              <Button onClick={onEdit}>
                <Pencil aria-hidden /> Change
              </Button>
              <Delete noun="model" label="Delete" change={remove} input={name}>
                <b>{name}</b> and its key are deleted. Running calls are not cut.
              </Delete>
            </>
          )}
        </div>
      </div>
    </Panel>
  )
}
