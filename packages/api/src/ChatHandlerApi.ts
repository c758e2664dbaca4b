import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { Schema } from "effect"
import { ChatRequestsApi } from "./ChatRequestsApi.ts"
import { Healthy, Unhealthy } from "./SystemApi.ts"
import { TeamChatApi } from "./TeamChatApi.ts"

class ProbesApi extends HttpApiGroup.make("probes")
  .add(HttpApiEndpoint.get("health", "/health").addSuccess(Healthy).addSuccess(Unhealthy))
  .add(HttpApiEndpoint.get("metrics", "/metrics").addSuccess(Schema.String))
{}

/** What the role chat-handler serves: a part of the whole interface, so that the same handlers serve it. */
export class ChatHandlerApi extends HttpApi.make("troupe").add(ChatRequestsApi).add(TeamChatApi).add(ProbesApi) {}
