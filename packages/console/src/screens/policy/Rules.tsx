import type { PolicyReport, Rule } from "@troupe/client"
import { ruleText } from "@troupe/client/RuleText"
import { useState } from "react"
import { Badge, type Tone } from "../../parts/Badge.tsx"
import { Button } from "../../parts/Button.tsx"
import { ArrowDown, ArrowUp, Pencil, Plus, Trash2 } from "../../parts/Icons.ts"
import { Panel } from "../../parts/Panel.tsx"
import { useNameOf } from "../../service/UserNames.ts"
import { deadReason, moved } from "./PolicyContent.ts"
import type { PolicyEditing } from "./PolicyDraft.ts"
import { RuleForm } from "./RuleForm.tsx"

const looks: Readonly<Record<Rule["effect"], readonly [text: string, tone: Tone]>> = {
  deny: ["Deny", "bad"],
  ask: ["Ask", "wait"],
  allow: ["Allow", "good"]
}

export const EffectBadge = ({ effect }: { readonly effect: Rule["effect"] }) => {
  const [text, tone] = looks[effect]
  return <Badge tone={tone}>{text}</Badge>
}

const tones = { deny: "text-bad", ask: "text-wait", allow: "text-good" } as const

/** The sentence begins with what is done. */
const RuleSentence = ({ nameOf, rule }: { readonly rule: Rule; readonly nameOf: (id: string) => string }) => {
  const [verb = "", ...rest] = ruleText(rule, nameOf).split(" ")
  return (
    <p className="break-words">
      <span className={`font-medium ${tones[rule.effect]}`}>{verb}</span> {rest.join(" ")}
    </p>
  )
}

/** The rules as sentences, with what changes them. */
export const Rules = ({ editing: { change, policy }, mayChange, saved }: {
  readonly editing: PolicyEditing
  readonly saved: PolicyReport
  readonly mayChange: boolean
}) => {
  const nameOf = useNameOf()
  const { rules } = policy
  // Null: a new rule.
  const [edited, setEdited] = useState<number | null>()
  const given = typeof edited === "number" ? rules[edited] : undefined
  const action = (label: string, icon: typeof Plus, isOff: boolean, run: () => void) => {
    const Icon = icon
    return (
      <Button kind="ghost" size="icon" aria-label={label} title={label} disabled={isOff} onClick={run}>
        <Icon aria-hidden />
      </Button>
    )
  }
  return (
    <Panel
      title="Rules"
      actions={mayChange && (
        <Button size="small" onClick={() => setEdited(null)}>
          <Plus aria-hidden /> Add a rule
        </Button>
      )}
    >
      <p className="text-muted">
        Deny rules are stronger than ask rules, and ask rules stronger than allow rules, in any order. Only a rule that
        allows send_email by its whole name lets an agent write to recipients whom nobody named.
      </p>
      {rules.length === 0
        ? <p className="mt-3">There are no rules. The preset above decides about every call.</p>
        : (
          <ol aria-label="Rules" className="-mx-3 mt-3 -mb-3 divide-y border-t">
            {rules.map((rule, index) => {
              const reason = deadReason(saved, rule)
              const number = `rule ${index + 1}`
              return (
                <li key={index} className="flex flex-wrap items-start gap-x-3 gap-y-1 px-3 py-2">
                  <span className="w-5 pt-0.5 text-right text-muted tabular-nums">{index + 1}</span>
                  <div className="min-w-0 flex-1 basis-64 pt-0.5">
                    <RuleSentence rule={rule} nameOf={nameOf} />
                    {reason !== undefined && (
                      <p className="text-wait">
                        Never applies: {reason}. Correct the name, or delete the rule.
                      </p>
                    )}
                  </div>
                  {mayChange && (
                    <div className="flex max-sm:w-full max-sm:justify-end">
                      {action(
                        `Move ${number} up`,
                        ArrowUp,
                        index === 0,
                        () => change({ rules: moved(rules, index, index - 1) })
                      )}
                      {action(
                        `Move ${number} down`,
                        ArrowDown,
                        index === rules.length - 1,
                        () => change({ rules: moved(rules, index, index + 1) })
                      )}
                      {action(`Change ${number}`, Pencil, false, () => setEdited(index))}
                      {action(
                        `Delete ${number}`,
                        Trash2,
                        false,
                        () => change({ rules: rules.filter((_, at) => at !== index) })
                      )}
                    </div>
                  )}
                </li>
              )
            })}
          </ol>
        )}
      {edited !== undefined && (
        <RuleForm
          {...(given === undefined ? {} : { given })}
          onClose={() => setEdited(undefined)}
          onDone={(rule) =>
            change({
              rules: edited === null ? [...rules, rule] : rules.map((one, at) => at === edited ? rule : one)
            })}
        />
      )}
    </Panel>
  )
}
