import { HttpApiBuilder } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Layer } from "effect"
import { NotificationsHttp } from "../Delivery/NotificationsHttp.ts"
import { HealthChecks } from "../Http/HealthChecks.ts"
import * as Server from "../Http/Server.ts"
import { Shutdown } from "../Http/Shutdown.ts"
import { SystemHttp } from "../Http/SystemHttp.ts"
import { SystemTools } from "../Http/SystemTools.ts"
import { UsersHttp } from "../People/UsersHttp.ts"
import { SkillsHttp } from "../Skill/SkillsHttp.ts"
import { TasksHttp } from "../Task/TasksHttp.ts"
import { ToolServersHttp } from "../ToolServer/ToolServersHttp.ts"

/** The API on its port: every room's endpoints, the docs, and the hardening around them. */
export const layer = Server.serve.pipe(
  Layer.provide(HttpApiBuilder.api(TroupeApi)),
  Layer.provide([TasksHttp, SkillsHttp, ToolServersHttp, SystemHttp, UsersHttp, NotificationsHttp]),
  Layer.provide([HealthChecks.layer, SystemTools.layer]),
  Layer.provide(Server.layer),
  Layer.provide([Shutdown.layer, NodeHttpServer.layerContext])
)
