import type { TaskId, UserId } from "@troupe/domain/Ids"
import {
  type FoundMemory,
  maxMemoriesFound,
  maxMemoryQueryLength,
  maxRecalledMemories,
  type MemoryInjection,
  type MemoryOrigin,
  memoryProblem,
  MemoryRefused,
  minRecallScore
} from "@troupe/domain/Memory"
import type { SearchUnfinished } from "@troupe/domain/Search"
import { normalised } from "@troupe/domain/Vector"
import { Cause, Context, Effect, Layer, Option } from "effect"
import { Embeddings } from "../Model/Embeddings.ts"
import { type ModelError, refusesTexts } from "../Model/Model.ts"
import { makeExpiringMap } from "../Runtime/Cache.ts"
import { MemoryIndex } from "./MemoryIndex.ts"
import { MemoryRepo, type Space } from "./MemoryRepo.ts"
import { makeReindexMemories } from "./ReindexMemories.ts"
import { makeSaveMemory, type Saved } from "./SaveMemory.ts"

export interface MemoryOptions {
  /** Read at each save. */
  readonly maxPerUser: number
  /** Default: all. */
  readonly inject?: MemoryInjection
}

/** How long the beginning of a task waits for memories. */
const recallTimeout = "3 seconds"

export interface TaskEnding {
  readonly taskId: TaskId
  readonly content: string
  readonly origin?: MemoryOrigin | null
}

export interface Recalled {
  readonly found: ReadonlyArray<FoundMemory>
  /** Why the memories were not searched; null: they were. */
  readonly leftOut: string | null
}

const none: Recalled = { found: [], leftOut: null }

/** What users' agents remember: each user's memories are that user's alone, and similar ones (README) are merged. */
export class Memories extends Context.Tag("troupe/Memory/Memories")<Memories, {
  /** Saving the same again changes only its time. */
  readonly save: (userId: UserId, memory: {
    readonly content: string
    readonly tags: ReadonlyArray<string>
    readonly origin?: MemoryOrigin | null
  }) => Effect.Effect<Saved, MemoryRefused | ModelError>
  /** The memories most similar to the query, best first; `limit` is 1 to 50. */
  readonly search: (
    userId: UserId,
    query: string,
    limit: number
  ) => Effect.Effect<ReadonlyArray<FoundMemory>, MemoryRefused | ModelError>
  /** The memories for the prompt of a new task, within 3 s; for a user without any it calls no model. */
  readonly recall: (userId: UserId, request: string) => Effect.Effect<Recalled>
  /** Remembers how tasks of one user ended: each task once, however often it is called. */
  readonly remember: (
    userId: UserId,
    endings: ReadonlyArray<TaskEnding>
  ) => Effect.Effect<void, ModelError | SearchUnfinished>
}>() {
  static readonly layer = (
    options: MemoryOptions
  ): Layer.Layer<Memories, never, MemoryRepo | MemoryIndex | Embeddings> => Layer.scoped(this, make(options))
}

const make = (options: MemoryOptions) =>
  Effect.gen(function*() {
    const repo = yield* MemoryRepo
    const index = yield* MemoryIndex
    const embeddings = yield* Embeddings
    const write = makeSaveMemory({ repo, index, options })

    const embed = (texts: ReadonlyArray<string>) =>
      Effect.map(embeddings.embed(texts), (vectors) => vectors.map(normalised))

    const renew = yield* makeReindexMemories({ repo, embed })

    const spaceOf = (vector: Float32Array): Space => ({ model: embeddings.model, dimensions: vector.length })

    const nearest = Effect.fnUntraced(function*(userId: UserId, query: string, limit: number) {
      const [vector] = yield* embed([query])
      if (vector === undefined) return []
      const space = spaceOf(vector)
      yield* renew(userId, space)
      const [neighbours = []] = yield* index.nearestOfEach(userId, space, [vector], limit)
      const found = yield* repo.find(userId, neighbours.map(({ id }) => id))
      const byId = new Map(found.map((memory) => [memory.id, memory]))
      return neighbours.flatMap(({ id, score }): ReadonlyArray<FoundMemory> => {
        const memory = byId.get(id)
        return memory === undefined ? [] : [{ ...memory, score }]
      })
    })

    const remember = (
      userId: UserId,
      endings: ReadonlyArray<TaskEnding>
    ): Effect.Effect<void, ModelError | SearchUnfinished> =>
      Effect.gen(function*() {
        const vectors = yield* embed(endings.map(({ content }) => content))
        const [first] = vectors
        if (first === undefined) return
        const drafts = endings.flatMap(({ content, origin = null, taskId }, place) => {
          const vector = vectors[place]
          return vector === undefined ? [] : [{ content, tags: [], vector, taskId, origin }]
        })
        yield* write.tasks(userId, spaceOf(first), drafts)
      }).pipe(
        // A text that the model refuses is skipped, so that it does not hold up the others for ever.
        Effect.catchIf((error) => error._tag !== "SearchUnfinished" && refusesTexts(error), (error) =>
          endings.length > 1
            ? Effect.forEach(endings, (ending) => remember(userId, [ending]), { discard: true })
            : Effect.zipRight(
              Effect.logWarning(
                "The embedding model refused the text of a completed task; it is not saved as a memory",
                error
              ),
              write.skip(userId, endings.map(({ taskId }) => taskId))
            ))
      )

    const hasMemories = (userId: UserId) => Effect.map(repo.owner(userId), ({ memories }) => memories > 0)

    /** Whether users had memories a moment ago, so that most tasks begin without a statement that finds out. */
    const hadMemories = makeExpiringMap<UserId, boolean>({ capacity: 10_000, timeToLive: "5 seconds" })

    const haveMemories = Effect.fnUntraced(function*(userId: UserId) {
      const has = yield* hasMemories(userId)
      // Another process may save the first one, and a task that begins a second later must find it.
      yield* hadMemories.set(userId, has, has ? undefined : "500 millis")
      return has
    })

    const recall = Effect.fnUntraced(function*(userId: UserId, request: string, hadSome: boolean) {
      if (!hadSome && !(yield* haveMemories(userId))) return none
      const found = yield* nearest(userId, request.slice(0, maxMemoryQueryLength), maxRecalledMemories)
      const isWanted = ({ origin, score }: FoundMemory) =>
        score > minRecallScore && (options.inject !== "trusted" || origin !== "outside")
      return { found: found.filter(isWanted), leftOut: null }
    }, (recalled, userId) =>
      recalled.pipe(
        Effect.timeout(recallTimeout),
        // An interruption of the caller does not get here, only one from within.
        Effect.catchAllCause((cause) => {
          const leftOut = Option.exists(Cause.failureOption(cause), Cause.isTimeoutException)
            ? `Searching them took longer than ${recallTimeout}.`
            : `Searching them failed: ${Cause.prettyErrors(cause)[0]?.message ?? "it was interrupted"}`
          return Effect.logWarning("Recalling memories failed; the task begins without them", cause).pipe(
            Effect.zipRight(Effect.forkDaemon(Effect.ignoreLogged(Effect.sandbox(repo.leftOut(userId))))),
            Effect.as<Recalled>({ found: [], leftOut }),
            Effect.annotateLogs({ user_id: userId })
          )
        })
      ))

    return Memories.of({
      save: Effect.fn("Memories.save")(function*(userId, { content, origin = null, tags }) {
        const problem = memoryProblem(content, tags)
        if (problem !== null) return yield* new MemoryRefused({ reason: problem })
        const [vector] = yield* embed([content])
        if (vector === undefined) return yield* new MemoryRefused({ reason: "The memory has no vector." })
        return yield* Effect.catchTag(
          write.one(userId, spaceOf(vector), { content: content.trim(), tags, vector, origin }),
          "SearchUnfinished",
          refused
        )
      }, (saved, userId) => Effect.ensuring(saved, hadMemories.remove(userId))),
      search: Effect.fn("Memories.search")(function*(userId, query, limit) {
        if (query.trim() === "") {
          return yield* new MemoryRefused({ reason: "The query is empty. Say what to look for." })
        }
        if (query.length > maxMemoryQueryLength) {
          return yield* new MemoryRefused({
            reason: `The query has ${query.length} characters; at most ${maxMemoryQueryLength} are read. Shorten it.`
          })
        }
        if (!(yield* hasMemories(userId))) return []
        const bounded = Math.max(1, Math.min(maxMemoriesFound, limit))
        return yield* Effect.catchTag(nearest(userId, query, bounded), "SearchUnfinished", refused)
      }),
      recall: (userId, request) =>
        request.trim() === "" || options.inject === "none" ? Effect.succeed(none) : Effect.flatMap(
          hadMemories.get(userId),
          Option.match({
            onNone: () => recall(userId, request, false),
            onSome: (hadSome) => hadSome ? recall(userId, request, true) : Effect.succeed(none)
          })
        ),
      remember: Effect.fn("Memories.remember")((userId, endings) =>
        Effect.ensuring(remember(userId, endings), hadMemories.remove(userId))
      )
    })
  })

const refused = ({ message }: SearchUnfinished) => new MemoryRefused({ reason: message })
