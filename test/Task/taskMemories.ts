import { Context, Effect, Layer, type Scope } from "effect"
import { Memories } from "../../src/Memory/Memories.ts"
import { MemoryIndex } from "../../src/Memory/MemoryIndex.ts"
import { MemoryRepo } from "../../src/Memory/MemoryRepo.ts"
import { type ModelError } from "../../src/Model/Model.ts"
import { makeRemembering, makeSweep } from "../../src/Task/TaskMemories.ts"
import { makeEmbeddings, testVector } from "../Memory/embeddings.ts"
import { memoriesOf } from "../Memory/rows.ts"
import { alice } from "../support/GivenTasks.ts"
import { type World } from "../support/TaskWorld.ts"

/** A worker's memory from its start: it has looked at nothing yet. */
export const worker = (
  embed: (text: string) => Effect.Effect<Float32Array, ModelError> = (text) => Effect.succeed(testVector(text))
): Effect.Effect<
  {
    readonly memories: Memories["Type"]
    readonly remembering: Effect.Effect<void>
    readonly sweep: Effect.Effect<unknown, unknown>
  },
  never,
  World | Scope.Scope
> =>
  Effect.gen(function*() {
    const embeddings = makeEmbeddings()
    embeddings.embed = embed
    const context = yield* Layer.build(Layer.fresh(
      Memories.layer({ maxPerUser: 100 }).pipe(
        Layer.provide(MemoryIndex.layerScan({ cacheBytes: 1_000_000 })),
        Layer.provide([MemoryRepo.layer, embeddings.layer])
      )
    ))
    const sweep = yield* Effect.provide(makeSweep, context)
    const remembering = yield* Effect.provide(makeRemembering, context)
    return { memories: Context.get(context, Memories), remembering, sweep }
  })

export const contents = (user = alice) =>
  Effect.map(memoriesOf(user), (all) => all.map(({ content }) => content).toSorted())
