import type { AgentDetail, AgentRevision, AgentSource, AgentSummary, AgentText } from "@troupe/domain/Agent"
import { Struct } from "effect"

export interface Agent extends AgentText {
  readonly source: AgentSource
  readonly path: string
  /** The path of its file within the folder of agents. */
  readonly place: string
  /** Other names under which it is found. */
  readonly aliases: ReadonlyArray<string>
  /** Where its file differs from the format, and how it was read instead. */
  readonly warnings: ReadonlyArray<string>
  readonly revision: AgentRevision
  /** Its file, as the tasks of this revision keep it. */
  readonly content: string
}

/** The file of an agent in a folder of its own. */
export const agentFileName = "AGENT.md"

/** An agent as lists show it; `more`: warnings about tools, skills and models that are not known now. */
export const summaryOf = (agent: Agent, more: ReadonlyArray<string>): AgentSummary => ({
  ...Struct.omit(agent, "aliases", "content", "instructions", "path", "place"),
  warnings: [...agent.warnings, ...more]
})

export const detailOf = (agent: Agent, more: ReadonlyArray<string>): AgentDetail => ({
  ...summaryOf(agent, more),
  instructions: agent.instructions,
  // Members need not know the folders of the machine.
  path: agent.place
})
