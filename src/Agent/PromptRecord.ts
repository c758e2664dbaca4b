import type { Run } from "@troupe/domain/Run"
import type { SentPrompt } from "@troupe/domain/SentPrompt"
import type { Modelled } from "@troupe/domain/Step"
import { noTools, type ToolSet } from "../Model/Model.ts"
import { memoized } from "../Runtime/Cache.ts"
import type { Skill } from "../Skill/Skill.ts"
import type { Toolbox } from "../Tool/Toolbox.ts"
import type { PromptTextPort } from "./AgentDependencies.ts"
import { promptParts, type PromptSource, promptText, skillPart, wrapUp } from "./SystemPrompt.ts"
import type { Call } from "./TokenBudget.ts"

/** The tools of a call as they are kept: names, descriptions and parameters. */
const toolsText = memoized((set: ToolSet): string => JSON.stringify(set.tools))

/** What the step of one model call records of its prompt. */
export interface CallRecord {
  /** The texts that have no number yet. */
  readonly unknown: ReadonlyArray<string>
  /** What the step keeps, once these are stored. */
  readonly kept: () => Pick<Modelled, "prompt" | "transcript" | "wrapUp">
}

export type PromptRecord = (source: RecordSource, run: Run, call: Call) => CallRecord

interface RecordSource extends PromptSource {
  readonly toolbox: Toolbox
}

/**
 * Decides what the steps of a run keep of their prompts, so that a person can read later what the model saw: the whole prompt
 * in the first step, then only changes. Texts that many tasks have in common are kept once, under a number.
 */
export const makePromptRecord = ({ numberOf }: PromptTextPort): PromptRecord => {
  let last:
    | { readonly skills: ReadonlyArray<Skill>; readonly prepared: Run["prepared"]; readonly tools: ToolSet }
    | null = null

  return (source, run, call) => {
    const { context, skills, task, toolbox } = source
    const end = wrapUp(task, run, call.budget?._tag === "Closing")
    const kept = (prompt?: SentPrompt | null) => ({
      ...(prompt === undefined ? {} : { prompt }),
      ...(end === null ? {} : { wrapUp: end }),
      ...(call.transcript === null ? {} : { transcript: call.transcript })
    })
    const isSame = last !== null && last.tools === call.tools && last.prepared === run.prepared
      && last.skills.length === skills.length && last.skills.every((skill, index) => skill === skills[index])
    if (isSame) return { unknown: [], kept }

    const all = toolbox.toolSet()
    const isSelection = call.tools !== all && call.tools !== noTools
    const text = promptText(source, promptParts(source, run))
    const tools = toolsText(isSelection ? all : call.tools)
    const parts = skills.map(skillPart)
    return {
      unknown: [text, tools, ...parts].filter((one) => numberOf(one) === undefined),
      kept: () => {
        const [textNumber, toolsNumber] = [numberOf(text), numberOf(tools)]
        const skillNumbers = parts.flatMap((part) => numberOf(part) ?? [])
        if (textNumber === undefined || toolsNumber === undefined || skillNumbers.length < parts.length) {
          // Null only ends an earlier prompt of the same run.
          const had = last !== null
          last = null
          return had ? kept(null) : kept()
        }
        last = { skills, prepared: run.prepared, tools: call.tools }
        return kept({
          text: textNumber,
          at: context.now.at,
          ...(context.now.zone === null ? {} : { zone: context.now.zone }),
          ...(context.requester === null ? {} : { requester: context.requester }),
          ...(skillNumbers.length === 0 ? {} : { skills: skillNumbers }),
          tools: toolsNumber,
          ...(isSelection ? { only: call.tools.tools.map(({ name }) => name) } : {})
        })
      }
    }
  }
}
