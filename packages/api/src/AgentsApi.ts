import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import {
  AgentChange,
  AgentDetail,
  AgentDraft,
  AgentName,
  AgentReload,
  AgentSummary,
  AgentUse
} from "@troupe/domain/Agent"
import { Schema } from "effect"
import { AdminOnly, Authentication } from "./Authentication.ts"
import { checkedWhole, described, pathParameter, titled, withStatus } from "./Fields.ts"
import { page } from "./Listing.ts"
import * as Problems from "./Problems.ts"

const agentName = pathParameter("agent_name", "Agent name")

/** Agents: instructions, tools and limits for a kind of work, in Markdown files. */
export class AgentsApi extends HttpApiGroup.make("agents")
  .add(
    HttpApiEndpoint.get("list", "/api/agents")
      .setUrlParams(checkedWhole(Schema.Struct(page(AgentName))))
      .addSuccess(Schema.Array(AgentSummary))
      .annotateContext(described("Agents, by name"))
  )
  .add(
    HttpApiEndpoint.get("find")`/api/agents/${agentName}`
      .addSuccess(AgentDetail)
      .addError(Problems.agentNotFound)
      .annotateContext(described("One agent with its instructions"))
  )
  .add(
    HttpApiEndpoint.get("revisions")`/api/agents/${agentName}/revisions`
      .addSuccess(Schema.Array(AgentUse))
      .annotateContext(
        described("The revisions that tasks of the agent used, the last used first; also of an agent that is gone")
      )
  )
  .add(
    HttpApiEndpoint.post("reload", "/api/agents/reload")
      .addSuccess(AgentReload)
      .middleware(AdminOnly)
      .annotateContext(described("Scans the folders now, and returns what changed"))
  )
  .add(
    HttpApiEndpoint.post("create", "/api/agents")
      .setPayload(checkedWhole(AgentDraft))
      .addSuccess(withStatus(201, AgentDetail))
      .addError(Problems.agentNameTaken)
      .addError(Problems.agentInvalid)
      .addError(Problems.agentsUnwritable)
      .middleware(AdminOnly)
      .annotateContext(described("Creates an agent in AGENTS_PATH"))
  )
  .add(
    HttpApiEndpoint.put("update")`/api/agents/${agentName}`
      .setPayload(checkedWhole(AgentChange))
      .addSuccess(AgentDetail)
      .addError(Problems.agentNotFound)
      .addError(Problems.agentNameTaken)
      .addError(Problems.agentInvalid)
      .addError(Problems.agentsUnwritable)
      .middleware(AdminOnly)
      .annotateContext(
        described(
          "Changes the given fields; a built-in agent is replaced by a changed copy in AGENTS_PATH. Tasks keep the revision that "
            + "they began with"
        )
      )
  )
  .add(
    HttpApiEndpoint.del("remove")`/api/agents/${agentName}`
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Problems.agentNotFound)
      .addError(Problems.agentReadOnly)
      .addError(Problems.agentsUnwritable)
      .middleware(AdminOnly)
      .annotateContext(
        described("Deletes an agent in AGENTS_PATH; a built-in agent that it replaced is used again. Its tasks go on")
      )
  )
  .middlewareEndpoints(Authentication)
  .annotateContext(titled("Agents", "Instructions, tools and limits for a kind of work."))
{}
