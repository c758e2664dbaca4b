import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { ChatHandlerApi } from "@troupe/api/RoleApis"
import { Layer } from "effect"
import * as Callers from "../Http/Callers.ts"
import { ChatHandlerProbes } from "../Http/Probes.ts"
import * as Server from "../Http/Server.ts"
import { ChatRequestsHttp } from "../Intake/Chat/ChatRequestsHttp.ts"
import { TeamChatHttp } from "../People/PeopleHttp.ts"
import * as Cluster from "../Runtime/Cluster/Cluster.ts"
import type { Settings } from "../Runtime/Settings/Settings.ts"
import * as Database from "./Database.ts"
import { httpOptions, rateLimits, server } from "./Http.ts"
import * as Services from "./Services.ts"
import * as TeamChat from "./TeamChat.ts"

/** Accepts requests of the chat platform for the workers, without the rest of the interface. */
export const layer = (settings: Settings["Type"]) => {
  const options = { ...httpOptions(settings), port: settings.chat.handlerPort }
  return Server.serveAlone(options).pipe(
    Layer.provide(HttpApiBuilder.api(ChatHandlerApi)),
    Layer.provide([ChatRequestsHttp, TeamChatHttp, ChatHandlerProbes(options)]),
    Layer.provide(Callers.layer(options)),
    Layer.provide(TeamChat.requests(settings)),
    Layer.provide(rateLimits(settings)),
    Layer.provide(server(options)),
    Layer.provide(Services.tasks(settings)),
    Layer.provide(Services.shared(settings)),
    Layer.provide(Cluster.client(settings.cluster)),
    Layer.provide(Database.layer(settings))
  )
}
