import type { TaskId, UserId } from "@troupe/domain/Ids"
import {
  type FoundMemory,
  maxMemoriesFound,
  maxMemoryQueryLength,
  memoriesTold,
  memoryMistake,
  MemoryRefused,
  relevantMemory
} from "@troupe/domain/Memory"
import type { SearchUnfinished } from "@troupe/domain/Search"
import { Clock, Context, type Duration, Effect, Layer, type Scope } from "effect"
import { Embeddings } from "../Model/Embeddings.ts"
import type { ModelError } from "../Model/Model.ts"
import { refusesTexts } from "../Model/Refusal.ts"
import { MemoryIndex } from "./MemoryIndex.ts"
import { MemoryRepo, type Space } from "./MemoryRepo.ts"

import { makeRenewal } from "./Renewal.ts"
import { makeSaving, type Saved } from "./Saving.ts"
import { normalised } from "./Vectors.ts"

export interface MemoryOptions {
  readonly maxPerUser: number
  /** How long the beginning of a task waits for memories. */
  readonly patience?: Duration.DurationInput
}

/** What is remembered of a task's end. */
export interface TaskEnding {
  readonly taskId: TaskId
  readonly content: string
}

/**
 * What users' agents remember, each user's apart from every other's. Memories whose vectors are alike (cosine above
 * 0.97) are merged: the newer content stays, with the tags of both. Vectors are compared with those of the same model
 * only; what an earlier model left is embedded anew when the user's memories are next searched.
 */
export class Memories extends Context.Tag("troupe/Memory/Memories")<Memories, {
  /** Saving the same again changes nothing but its time. */
  readonly save: (userId: UserId, memory: {
    readonly content: string
    readonly tags: ReadonlyArray<string>
  }) => Effect.Effect<Saved, MemoryRefused | ModelError>
  /** Those that have most to do with the query, best first; `limit` is 1 to 50. */
  readonly search: (
    userId: UserId,
    query: string,
    limit: number
  ) => Effect.Effect<ReadonlyArray<FoundMemory>, MemoryRefused | ModelError>
  /**
   * What the agent of a new task is told: the three memories nearest to the request, above 0.3. It never fails and
   * never waits longer than a few seconds; of a user without memories it asks no model.
   */
  readonly recall: (userId: UserId, request: string) => Effect.Effect<ReadonlyArray<FoundMemory>>
  /** Remembers how tasks of one user ended: each task once, however often it is told. */
  readonly remember: (
    userId: UserId,
    endings: ReadonlyArray<TaskEnding>
  ) => Effect.Effect<void, ModelError | SearchUnfinished>
}>() {
  static readonly layer = (
    options: MemoryOptions
  ): Layer.Layer<Memories, never, MemoryRepo | MemoryIndex | Embeddings> => Layer.scoped(this, make(options))
}

const make = (
  options: MemoryOptions
): Effect.Effect<Memories["Type"], never, MemoryRepo | MemoryIndex | Embeddings | Scope.Scope> =>
  Effect.gen(function*() {
    const repo = yield* MemoryRepo
    const index = yield* MemoryIndex
    const embeddings = yield* Embeddings
    const write = makeSaving({ repo, index, maxPerUser: options.maxPerUser })

    const embed = (texts: ReadonlyArray<string>) =>
      Effect.map(embeddings.embed(texts), (vectors) => vectors.map(normalised))

    const renew = yield* makeRenewal({ repo, embed })

    const spaceOf = (vector: Float32Array): Space => ({ model: embeddings.model, dimensions: vector.length })

    const nearTo = Effect.fnUntraced(function*(userId: UserId, query: string, limit: number) {
      const [vector] = yield* embed([query])
      if (vector === undefined) return []
      const space = spaceOf(vector)
      yield* renew(userId, space)
      const near = yield* Effect.catchTag(index.nearest(userId, space, vector, limit), "SqlError", Effect.die)
      const found = yield* Effect.orDie(repo.find(userId, near.map(({ id }) => id)))
      const byId = new Map(found.map((memory) => [memory.id, memory]))
      return near.flatMap(({ id, score }): ReadonlyArray<FoundMemory> => {
        const memory = byId.get(id)
        // Removed since.
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
        const drafts = endings.flatMap(({ content, taskId }, place) => {
          const vector = vectors[place]
          return vector === undefined ? [] : [{ content, tags: [], vector, taskId }]
        })
        yield* write.tasks(userId, spaceOf(first), drafts)
      }).pipe(
        // A text that the model refuses is given up, so that it does not hold up all others for ever.
        Effect.catchIf((error) => error._tag !== "SearchUnfinished" && refusesTexts(error), (error) =>
          endings.length > 1
            ? Effect.forEach(endings, (ending) => remember(userId, [ending]), { discard: true })
            : Effect.zipRight(
              Effect.logWarning("The end of a task is not remembered", error),
              write.skip(userId, endings.map(({ taskId }) => taskId))
            ))
      )

    const hasMemories = (userId: UserId) => Effect.map(Effect.orDie(repo.owner(userId)), ({ memories }) => memories > 0)

    /** Whether users had memories a moment ago, so that beginning a task of theirs costs no statement to find out. */
    const lately = new Map<UserId, { readonly has: boolean; readonly until: number }>()
    const hadMemories = Effect.fnUntraced(function*(userId: UserId, now: number) {
      const known = lately.get(userId)
      if (known !== undefined && now < known.until) return known.has
      const has = yield* hasMemories(userId)
      if (lately.size >= mostUsers) lately.clear()
      lately.set(userId, { has, until: now + (has ? hasFor : hasNoneFor) })
      return has
    })

    const forgetAnswer = (userId: UserId) => Effect.sync(() => lately.delete(userId))

    const recall = Effect.fnUntraced(function*(userId: UserId, query: string, now: number) {
      if (!(yield* hadMemories(userId, now))) return []
      const found = yield* nearTo(userId, query, memoriesTold)
      return found.filter(({ score }) => score > relevantMemory)
    }, (recalled, userId) =>
      recalled.pipe(
        Effect.timeout(options.patience ?? "3 seconds"),
        // Not reached by an interruption of the caller, only by one from within.
        Effect.catchAllCause((cause) => Effect.as(Effect.logWarning("A task begins without memories", cause), [])),
        Effect.annotateLogs({ user_id: userId })
      ))

    return Memories.of({
      save: Effect.fn("Memories.save")(function*(userId, { content, tags }) {
        const mistake = memoryMistake(content, tags)
        if (mistake !== null) return yield* new MemoryRefused({ reason: mistake })
        const [vector] = yield* embed([content])
        if (vector === undefined) return yield* new MemoryRefused({ reason: "The memory has no vector." })
        return yield* Effect.catchTag(
          write.one(userId, spaceOf(vector), { content: content.trim(), tags, vector }),
          "SearchUnfinished",
          refused
        )
      }, (saved, userId) => Effect.ensuring(saved, forgetAnswer(userId))),
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
        const most = Math.max(1, Math.min(maxMemoriesFound, limit))
        return yield* Effect.catchTag(nearTo(userId, query, most), "SearchUnfinished", refused)
      }),
      recall: (userId, request) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const known = lately.get(userId)
          return request.trim() === "" || (known !== undefined && !known.has && now < known.until)
            ? Effect.succeed([])
            : recall(userId, request.slice(0, maxMemoryQueryLength), now)
        }),
      remember: Effect.fn("Memories.remember")((userId, endings) =>
        Effect.ensuring(remember(userId, endings), forgetAnswer(userId))
      )
    })
  })

/**
 * How long an answer holds, in ms. That there are none holds briefly: another process may save the first, which a task
 * that begins a second later is to know (contract.md, 12).
 */
const hasFor = 5_000
const hasNoneFor = 500
const mostUsers = 10_000

const refused = ({ message }: SearchUnfinished) => new MemoryRefused({ reason: message })
