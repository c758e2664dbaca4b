import { UserId } from "@troupe/domain/Ids"
import { Effect, Layer, type Scope } from "effect"
import { v7 } from "uuid"
import { Memories, type MemoryOptions } from "../../src/Memory/Memories.ts"
import { MemoryIndex } from "../../src/Memory/MemoryIndex.ts"
import { MemoryRepo } from "../../src/Memory/MemoryRepo.ts"
import { ModelUnavailable } from "../../src/Model/Model.ts"
import * as Sql from "../../src/Runtime/Database/Sql.ts"
import * as Database from "../support/Database.ts"
import { makeEmbeddings, type TestEmbeddings } from "./embeddings.ts"
import { memoriesOf } from "./rows.ts"

/** Each index promises the same, so one is enough for what memories promise. */
export const store = MemoryIndex.layerScan({ cacheBytes: 10_000_000 }).pipe(
  Layer.provideMerge(MemoryRepo.layer),
  Layer.provideMerge(Layer.orDie(Sql.layer({ maxConnections: 6 }))),
  Layer.provide(Database.layer)
)

export const someone = Effect.sync(() => UserId.make(`user-${v7()}`))

/** A process of its own: it shares nothing with another but the database. */
export const process = (
  embeddings: TestEmbeddings = makeEmbeddings(),
  options: Partial<MemoryOptions> = {}
): Effect.Effect<Memories["Type"], never, MemoryIndex | MemoryRepo | Scope.Scope> =>
  Effect.flatMap(
    Layer.build(Layer.fresh(Memories.layer({ maxPerUser: 100, ...options })).pipe(Layer.provide(embeddings.layer))),
    (context) => Effect.provide(Memories, context)
  )

export const contentsOf = (memories: ReadonlyArray<{ readonly content: string }>) =>
  memories.map(({ content }) => content)

/** All of a user's, in the order of what they say: the clock of a test stands still. */
export const allOf = (user: UserId) => Effect.map(memoriesOf(user), (all) => contentsOf(all).toSorted())

export const unavailable = new ModelUnavailable({ provider: "test", reason: "The embedding model is unavailable." })
