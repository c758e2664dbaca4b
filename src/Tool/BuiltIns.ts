import { Effect, Layer } from "effect"
import { Sandbox } from "../File/Sandbox.ts"
import { askHuman } from "./AskHuman.ts"
import { attachFile } from "./AttachFile.ts"
import { listDirectory } from "./ListDirectory.ts"
import { readFile } from "./ReadFile.ts"
import type { Tool } from "./Tool.ts"
import { Toolbox } from "./Toolbox.ts"
import { wait } from "./Wait.ts"
import { writeFile } from "./WriteFile.ts"

const tools: Effect.Effect<ReadonlyArray<Tool>, never, Sandbox> = Effect.map(Sandbox, (sandbox) => [
  askHuman,
  listDirectory(sandbox),
  readFile(sandbox),
  writeFile(sandbox),
  wait,
  attachFile(sandbox)
])

const layer: Layer.Layer<Toolbox, never, Sandbox> = Layer.effect(Toolbox, Effect.map(tools, Toolbox.make))

/** The tools that need nothing but the user's files and the clock. */
export const BuiltIns = { tools, layer } as const
