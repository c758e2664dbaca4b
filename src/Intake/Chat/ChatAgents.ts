import { Effect, Option } from "effect"
import type { Claim } from "../../Agent/Definition/AgentClaims.ts"
import { Agents } from "../../Agent/Definition/Agents.ts"
import { Channels } from "../../People/Channel/Channels.ts"

/** `sales: text`, as it is written to a person; bold or in code, too. */
const addressed = /^([*_`]{0,3})([^:：]{1,80})[:：]/

const marksAtEnd = /[*_`]{1,3}$/

export interface Addressed {
  readonly agent: string | null
  readonly text: string
}

/** Which agents messages of the team chat are for. */
export const makeChatAgents = Effect.map(Effect.all([Agents, Channels]), ([agents, channels]) => ({
  /** The agent by whose name a request begins, and the rest. A name that no agent has is part of the request. */
  addressedIn: (text: string): Effect.Effect<Addressed> => {
    const begin = text.trimStart()
    const [prefix = "", marks = "", written = ""] = addressed.exec(begin) ?? []
    const name = written.trim().replace(marksAtEnd, "").trim()
    const after = begin.slice(prefix.length)
    const rest = (after.startsWith(marks) ? after.slice(marks.length) : after).trimStart()
    const whole: Addressed = { agent: null, text }
    return name === "" || rest === "" ? Effect.succeed(whole) : Effect.match(agents.find(name), {
      onFailure: () => whole,
      onSuccess: ({ name }): Addressed => ({ agent: name, text: rest })
    })
  },
  /** By which an agent claims what is said in a channel: its id and its name, which is looked up only where one does. */
  claimOf: (channel: string): Effect.Effect<Claim> =>
    Effect.gen(function*() {
      const isClaimed = (yield* agents.list).some((agent) => agent.channels.length > 0)
      const found = isClaimed ? yield* Effect.option(channels.find(channel)) : Option.none()
      const names = Option.match(found, { onNone: () => [], onSome: ({ name }) => [name] })
      return { field: "channels", names: [channel, ...names] }
    })
}))
