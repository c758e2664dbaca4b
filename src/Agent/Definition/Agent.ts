import type { AgentDetail, AgentRevision, AgentSource, AgentSummary, AgentText } from "@troupe/domain/Agent"
import { Struct } from "effect"

export interface Agent extends AgentText {
  readonly source: AgentSource
  readonly path: string
  /** Its file below the folder of the agents. */
  readonly place: string
  /** Other names under which it is found. */
  readonly aliases: ReadonlyArray<string>
  /** What its file has otherwise than the format says, and how it was read. */
  readonly warnings: ReadonlyArray<string>
  readonly revision: AgentRevision
  /** Its file, as the tasks of this revision keep it. */
  readonly content: string
}

/** The file of an agent in a folder of its own. */
export const agentFileName = "AGENT.md"

/** An agent as lists show it; `more` are warnings that depend on what else there is. */
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
