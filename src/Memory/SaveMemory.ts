import type { TaskId, UserId } from "@troupe/domain/Ids"
import {
  duplicateScore,
  MemoryId,
  type MemoryOrigin,
  MemoryRefused,
  mergedTags,
  normalisedTags
} from "@troupe/domain/Memory"
import type { SearchUnfinished } from "@troupe/domain/Search"
import { dot } from "@troupe/domain/Vector"
import { Clock, Effect, Hash } from "effect"
import { v7 } from "uuid"
import type { MemoryIndex } from "./MemoryIndex.ts"
import type { MemoryRepo, MemoryWrite, Owner, Space, StoredMemory } from "./MemoryRepo.ts"

export interface Saved {
  readonly id: MemoryId
  readonly merged: boolean
}

interface Draft {
  readonly content: string
  readonly tags: ReadonlyArray<string>
  readonly vector: Float32Array
  readonly taskId?: TaskId
  readonly origin?: MemoryOrigin | null
}

/** A failed attempt means that another save succeeded, so this many in a row are not chance. */
const maxAttempts = 100

/** Saves and merges duplicates; what another process has changed meanwhile is read again before anything is written. */
export const makeSaveMemory = ({ index, options, repo }: {
  readonly repo: MemoryRepo["Type"]
  readonly index: MemoryIndex["Type"]
  /** Read at each save. */
  readonly options: { readonly maxPerUser: number }
}) => {
  const locks = Array.from({ length: 64 }, () => Effect.unsafeMakeSemaphore(1))
  /** Saves of one user in this process run one by one, so that they don't overtake each other. */
  const oneByOne = (userId: UserId) => <A, E>(save: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    locks[Math.abs(Hash.string(userId)) % locks.length]?.withPermits(1)(save) ?? save

  /** Of each draft, the stored memory that it repeats, if there is one. */
  const duplicatesOf = Effect.fnUntraced(function*(userId: UserId, space: Space, drafts: ReadonlyArray<Draft>) {
    const nearest = yield* index.nearestOfEach(userId, space, drafts.map(({ vector }) => vector), 1)
    const alike = nearest.map(([found]) => found !== undefined && found.score > duplicateScore ? found.id : null)
    const found = yield* repo.find(userId, alike.filter((id) => id !== null))
    const byId = new Map(found.map((memory) => [memory.id, memory]))
    return alike.map((id) => id === null ? undefined : byId.get(id))
  })

  const rowFor = (
    draft: Draft,
    stored: StoredMemory | undefined,
    pending: ReadonlyMap<MemoryId, MemoryWrite>,
    now: number
  ): MemoryWrite => {
    const twin = [...pending.values()].find(({ vector }) => dot(vector, draft.vector) > duplicateScore)
    if (twin !== undefined) return merge(draft, twin, twin.isNew)
    if (stored !== undefined) return merge(draft, stored, false)
    const id = MemoryId.make(v7({ msecs: now }))
    return { id, ...draft, tags: normalisedTags(draft.tags), taskId: draft.taskId ?? null, isNew: true }
  }

  /** Removes memories of old tasks when there is no room, a hundredth of the limit at a time. */
  const ownerWithRoom = Effect.fnUntraced(function*(userId: UserId, count: number) {
    const { maxPerUser } = options
    const owner = yield* repo.owner(userId)
    if (owner.memories + count <= maxPerUser) return owner
    yield* repo.removeOldest(userId, Math.max(count, Math.ceil(maxPerUser / 100)))
    return yield* repo.owner(userId)
  })

  /** Null when the user's memories were changed meanwhile. */
  const attempt = Effect.fnUntraced(function*(userId: UserId, space: Space, given: ReadonlyArray<Draft>) {
    const owner: Owner = yield* ownerWithRoom(userId, given.length)
    const remembered = yield* repo.remembered(given.flatMap(({ taskId }) => taskId ?? []))
    const drafts = given.filter(({ taskId }) => taskId === undefined || !remembered.has(taskId))
    if (drafts.length === 0) return []
    const now = yield* Clock.currentTimeMillis
    const duplicates = yield* duplicatesOf(userId, space, drafts)
    const pending = new Map<MemoryId, MemoryWrite>()
    const saved: Array<Saved> = []
    let added = 0
    for (const [place, draft] of drafts.entries()) {
      const row = rowFor(draft, duplicates[place], pending, now)
      const isAdded = row.isNew && !pending.has(row.id)
      if (isAdded && owner.memories + added >= options.maxPerUser) continue
      if (isAdded) added += 1
      saved.push({ id: row.id, merged: !isAdded })
      pending.set(row.id, row)
    }
    const isWritten = yield* repo.write(userId, {
      version: owner.version,
      space,
      rows: [...pending.values()],
      tasks: drafts.flatMap(({ taskId }) => taskId ?? [])
    })
    return isWritten ? saved : null
  })

  const save = (
    userId: UserId,
    space: Space,
    drafts: ReadonlyArray<Draft>
  ): Effect.Effect<ReadonlyArray<Saved>, SearchUnfinished> =>
    attempt(userId, space, drafts).pipe(
      Effect.repeat({ until: (saved) => saved !== null, times: maxAttempts }),
      Effect.flatMap((saved) =>
        saved === null
          ? Effect.dieMessage(`The memories of ${userId} changed at each of ${maxAttempts} attempts to save`)
          : Effect.succeed(saved)
      ),
      oneByOne(userId)
    )

  return {
    one: (userId: UserId, space: Space, draft: Draft): Effect.Effect<Saved, MemoryRefused | SearchUnfinished> =>
      Effect.flatMap(save(userId, space, [draft]), ([saved]) =>
        saved === undefined
          ? new MemoryRefused({ reason: `The user has ${options.maxPerUser} memories already, which is the maximum.` })
          : Effect.succeed(saved)),
    /** Marks tasks as remembered without a memory of them. */
    skip: (userId: UserId, tasks: ReadonlyArray<TaskId>): Effect.Effect<void> =>
      Effect.flatMap(
        repo.owner(userId),
        ({ version }) => repo.write(userId, { version, space: { model: "", dimensions: 0 }, rows: [], tasks })
      ).pipe(
        Effect.repeat({ until: (isWritten) => isWritten, times: maxAttempts }),
        oneByOne(userId)
      ),
    /** Endings beyond the limit are dropped; their tasks count as remembered all the same. */
    tasks: (userId: UserId, space: Space, drafts: ReadonlyArray<Draft>): Effect.Effect<void, SearchUnfinished> =>
      Effect.asVoid(save(userId, space, drafts))
  }
}

/** The newer content with the tags of both. What an agent saved stays its own: no limit removes it. */
const merge = (
  draft: Draft,
  existing: Pick<MemoryWrite, "id" | "origin" | "tags" | "taskId">,
  isNew: boolean
): MemoryWrite => ({
  id: existing.id,
  content: draft.content,
  tags: mergedTags(draft.tags, existing.tags),
  taskId: existing.taskId === null ? null : draft.taskId ?? null,
  // Its tags stay.
  origin: draft.origin ?? existing.origin,
  vector: draft.vector,
  isNew
})
