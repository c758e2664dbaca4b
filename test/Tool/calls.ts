import { TaskId, ToolCallId, UserId } from "@troupe/domain/Ids"
import { Context, Effect, Layer } from "effect"
import { Sandbox } from "../../src/File/Sandbox.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { builtIns } from "./builtIns.ts"

export const context = {
  taskId: TaskId.make("01890a5d-ac96-774b-bcce-b302099a8057"),
  userId: UserId.make("alice"),
  callId: "call-1"
}

export const callOf = (name: string, args: object) => ({
  id: ToolCallId.make("call-1"),
  name,
  arguments: JSON.stringify(args)
})

/** The root of the sandboxes of one test. */
export class Folder extends Context.Tag("troupe/test/Tool/calls/Folder")<Folder, string>() {}

export const folder = Layer.scoped(
  Folder,
  freshFolder
)

export const sandbox = Layer.unwrapEffect(Effect.map(Folder, (root) => Sandbox.layer({ root, quotaBytes: 1_000_000 })))

export const inFolder = builtIns.pipe(Layer.provide(sandbox), Layer.provideMerge(folder))
