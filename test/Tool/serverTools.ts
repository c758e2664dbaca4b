import { Context, Effect, Layer } from "effect"
import { Sandbox } from "../../src/File/Sandbox.ts"
import { Toolboxes } from "../../src/Tool/Toolboxes.ts"
import { ToolServers } from "../../src/ToolServer/ToolServers.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { configure, startServers } from "../ToolServer/world.ts"
import { toolsWith } from "./builtIns.ts"

/** The agents' tools with these servers, and the users' files. */
export const world = (mcpServers: unknown) =>
  Effect.gen(function*() {
    const servers = yield* startServers()
    const report = yield* configure(mcpServers)
    const context = yield* Layer.build(
      Layer.provideMerge(toolsWith(Layer.succeed(ToolServers, servers)), Sandbox.layer({ root: yield* freshFolder }))
    )
    return { report, servers, open: Context.get(context, Toolboxes).open, sandbox: Context.get(context, Sandbox) }
  })
