import { Context, Effect, Layer } from "effect"
import { Sandbox } from "../../src/File/Sandbox.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { builtIns } from "./builtIns.ts"

/** The root of the sandboxes of one test. */
export class Folder extends Context.Tag("troupe/test/Tool/folder")<Folder, string>() {}

const sandbox = Layer.unwrapEffect(Effect.map(Folder, (root) => Sandbox.layer({ root, quotaBytes: 1_000_000 })))

export const inFolder = builtIns.pipe(
  Layer.provide(sandbox),
  Layer.provideMerge(Layer.scoped(Folder, freshFolder))
)
