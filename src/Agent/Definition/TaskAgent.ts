import type { AgentText } from "@troupe/domain/Agent"
import { Effect } from "effect"
import type { AgentTask, PromptTextPort } from "../AgentDependencies.ts"
import type { Agent } from "./Agent.ts"
import { parse } from "./AgentFile.ts"
import { toolRuleOf } from "./AgentTools.ts"

/** The revision of an agent that a task works with. */
export interface AgentOfTask {
  readonly agent: string
  readonly agentRevision: string
  /** The number of its file among the texts that tasks share. */
  readonly agentText: number
}

/** Keeps the file of an agent for the tasks that begin with it. */
export const agentOfTask = (
  { content, name, revision }: Agent,
  { keep }: Pick<PromptTextPort, "keep">
): Effect.Effect<AgentOfTask> =>
  Effect.map(keep(content), (agentText) => ({ agent: name, agentRevision: revision, agentText }))

interface Definition {
  readonly text: AgentText
  readonly allows: (tool: string) => boolean
}

const maxKnown = 500

/** Gives tasks what the revision of their agent says, which a process reads and parses once. */
export const makeTaskAgents = () => {
  const known = new Map<number, Definition>()

  const read = (number: number, name: string, { textOf }: PromptTextPort): Effect.Effect<Definition> =>
    Effect.suspend(() => {
      const found = known.get(number)
      if (found !== undefined) return Effect.succeed(found)
      return Effect.tap(
        Effect.flatMap(textOf(number), (source) => definitionOf(source, name)),
        (definition) =>
          Effect.sync(() => {
            known.set(number, definition)
            const oldest = known.keys().next().value
            if (known.size > maxKnown && oldest !== undefined) known.delete(oldest)
          })
      )
    })

  return (task: AgentTask, texts: PromptTextPort): Effect.Effect<AgentTask> =>
    task.agent === null || task.agentText === null
      ? Effect.succeed(task)
      : Effect.map(read(task.agentText, task.agent, texts), ({ allows, text }): AgentTask => ({
        ...task,
        rule: { key: `${task.agentText}`, allows },
        instructions: text.instructions === "" ? text.description : text.instructions,
        skills: text.skills,
        isWithoutMemory: text.memory === "none",
        model: text.model,
        summaryModel: text.summary_model,
        compactionMinTokens: text.compaction_min_tokens,
        temperature: text.temperature
      }))
}

/** A stored text was read as an agent before, so one that is none is a defect. */
const definitionOf = (source: string, name: string): Effect.Effect<Definition> =>
  Effect.orDie(Effect.map(parse(source, name), ({ text }) => ({ text, allows: toolRuleOf(text) })))
