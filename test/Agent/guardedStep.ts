import { Rule } from "@troupe/domain/Policy"
import { unseen } from "@troupe/domain/SeenContext"
import type { Step } from "@troupe/domain/Step"
import { Effect, Schema } from "effect"
import { Policies } from "../../src/Policy/Policies.ts"
import type { AgentTool } from "../../src/Tool/AgentTool.ts"
import { textTool } from "../support/FakeTool.ts"
import { type Loop } from "./loop.ts"

export const outside = { ...unseen, outside: { since: 0, because: "a webhook" } }

/** A tool of a server that notes its calls. */
export const guarded = (ran: Array<string>, more: Partial<AgentTool> = {}): AgentTool => ({
  ...textTool("srv__guarded", (text, { callId }) =>
    Effect.sync(() => {
      ran.push(`${callId} ${text}`)
      return `did ${callId}`
    })),
  changes: "outside",
  effect: () => "outside",
  server: { name: "srv", binding: "b", isOpenWorld: true },
  ...more
})

export const rules = (...given: ReadonlyArray<unknown>) =>
  Policies.layerOf({ rules: given.map((one) => Schema.decodeUnknownSync(Rule)(one)) })

export const asking = ({ journal }: Loop) => {
  const last = journal.at(-1)
  return last?.kind === "results" ? last.asking?.map((one) => one.id) ?? [] : []
}

export const decidedIn = (journal: ReadonlyArray<Step>) =>
  journal.flatMap((step) =>
    step.kind === "results" ? step.decided?.calls.map((one) => [one.id, one.effect, one.cause] as const) ?? [] : []
  )
