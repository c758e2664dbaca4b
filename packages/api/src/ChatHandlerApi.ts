import * as HttpApi from "@effect/platform/HttpApi"
import { ChatRequestsApi } from "./ChatRequestsApi.ts"
import { TeamChatApi } from "./TeamChatApi.ts"

/** What the role chat-handler serves: a part of the whole interface, so that the same handlers serve it. */
export class ChatHandlerApi extends HttpApi.make("troupe").add(ChatRequestsApi).add(TeamChatApi) {}
