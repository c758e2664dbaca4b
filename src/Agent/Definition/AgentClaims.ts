import type { AgentText } from "@troupe/domain/Agent"
import { Option } from "effect"

type Field = "channels" | "mailboxes" | "webhooks"

/** Where a request comes from: an agent may claim all of it. A channel has an id and a name. */
export interface Claim {
  readonly field: Field
  readonly names: ReadonlyArray<string>
}

type Claimant = Pick<AgentText, Field | "name">

const plain = (name: string) => name.trim().toLowerCase().replace(/^#/, "")

const claims = (agent: Claimant, { field, names }: Claim): boolean => {
  const wanted = names.map(plain)
  return agent[field].some((name) => wanted.includes(plain(name)))
}

/** The first of the agents that claims it; they are in the order of their names. */
export const claimantOf = <A extends Claimant>(agents: ReadonlyArray<A>, claim: Claim): Option.Option<A> =>
  Option.fromNullable(agents.find((agent) => claims(agent, claim)))

const fields: ReadonlyArray<Field> = ["channels", "webhooks", "mailboxes"]

/** Says which claims of an agent another one has. */
export const claimWarnings = (agent: Claimant, agents: ReadonlyArray<Claimant>): ReadonlyArray<string> =>
  fields.flatMap((field) =>
    agent[field].flatMap((name) => {
      const first = Option.getOrUndefined(claimantOf(agents, { field, names: [name] }))
      return first === undefined || first.name === agent.name
        ? []
        : [`${field}: ${name} belongs to the agent ${first.name}, which comes first by name`]
    })
  )
