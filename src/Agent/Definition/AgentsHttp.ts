import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Effect, identity, Option } from "effect"
import { pageResponse } from "../../Runtime/Database/Page.ts"
import { type Agent, detailOf, summaryOf } from "./Agent.ts"
import { Agents } from "./Agents.ts"
import { AgentUses } from "./AgentUses.ts"
import { makeAgentWarnings } from "./AgentWarnings.ts"

export const AgentsHttp = HttpApiBuilder.group(TroupeApi, "agents", (handlers) =>
  Effect.gen(function*() {
    const agents = yield* Agents
    const warnings = yield* makeAgentWarnings
    const uses = yield* AgentUses
    const detail = (agent: Agent) => Effect.map(warnings, (of) => detailOf(agent, of(agent)))

    return handlers
      .handle("list", ({ request: { url }, urlParams: query }) =>
        pageResponse({ url, query }, {
          read: ({ cursor, limit }) =>
            Effect.zipWith(agents.list, warnings, (all, of) =>
              all.filter(({ name }) =>
                name > Option.getOrElse(cursor, () => "")
              ).slice(0, limit)
                .map((agent) => summaryOf(agent, of(agent)))),
          positionOf: ({ name }) => name,
          encode: identity
        }))
      .handle("find", ({ path }) => Effect.flatMap(agents.find(path.agent_name), detail))
      .handle("revisions", ({ path }) => uses.of(path.agent_name))
      .handle("reload", () => agents.reload)
      .handle("create", ({ payload }) => Effect.flatMap(agents.create(payload), detail))
      .handle("update", ({ path, payload }) => Effect.flatMap(agents.update(path.agent_name, payload), detail))
      .handle("remove", ({ path }) => agents.remove(path.agent_name))
  }))
