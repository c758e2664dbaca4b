import type { TaskId, UserId } from "@troupe/domain/Ids"
import { MemoryId, MemoryRefused, sameMemory, tagsOf, unitedTags } from "@troupe/domain/Memory"
import type { SearchUnfinished } from "@troupe/domain/Search"
import { Clock, Effect } from "effect"
import { v7 } from "uuid"
import type { MemoryIndex } from "./MemoryIndex.ts"
import type { MemoryRepo, MemoryWrite, Owner, Space } from "./MemoryRepo.ts"
import { dot } from "./Vectors.ts"

/** What came of saving: the memory's id, and whether it was there before. */
export interface Saved {
  readonly id: MemoryId
  readonly merged: boolean
}

interface Draft {
  readonly content: string
  readonly tags: ReadonlyArray<string>
  readonly vector: Float32Array
  readonly taskId?: TaskId
}

/** Whoever looks again was overtaken by one who saved, so this many in a row are not chance. */
const mostLooks = 100

type Pending = Omit<MemoryWrite, "id"> & { readonly id: MemoryId }

/**
 * Saving merges duplicates: it looks at the user's memories as of a version and writes only if they still are at it,
 * else it looks again. So two that save the same at the same moment, in two processes, leave one memory.
 */
export const makeSaving = ({ index, maxPerUser, repo }: {
  readonly repo: MemoryRepo["Type"]
  readonly index: MemoryIndex["Type"]
  readonly maxPerUser: number
}) => {
  const locks = Array.from({ length: 64 }, () => Effect.unsafeMakeSemaphore(1))
  /** Savers of this process wait for each other, so that they don't have to look twice. */
  const inTurn = <A, E>(userId: UserId, work: Effect.Effect<A, E>): Effect.Effect<A, E> => {
    const lock = locks[[...userId].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % locks.length]
    return lock === undefined ? work : lock.withPermits(1)(work)
  }

  const place = Effect.fnUntraced(
    function*(userId: UserId, space: Space, placed: ReadonlyMap<MemoryId, Pending>, draft: Draft) {
      const twin = [...placed.values()].find(({ vector }) => dot(vector, draft.vector) > sameMemory)
      if (twin !== undefined) return merged(draft, twin, twin.isNew)
      const [near] = yield* index.nearest(userId, space, draft.vector, 1)
      const [there] = near !== undefined && near.score > sameMemory ? yield* repo.find(userId, [near.id]) : []
      if (there !== undefined) return merged(draft, there, false)
      const id = MemoryId.make(v7({ msecs: yield* Clock.currentTimeMillis }))
      return { id, ...draft, tags: tagsOf(draft.tags), taskId: draft.taskId ?? null, isNew: true }
    }
  )

  /** Makes room by forgetting how old tasks ended, a hundredth of the limit at a time. */
  const makeRoom = (userId: UserId, owner: Owner, count: number) =>
    owner.memories + count <= maxPerUser
      ? Effect.succeed(owner)
      : Effect.zipRight(
        repo.removeOldest(userId, Math.max(count, Math.ceil(maxPerUser / 100))),
        repo.owner(userId)
      )

  const attempt = Effect.fnUntraced(function*(userId: UserId, space: Space, given: ReadonlyArray<Draft>) {
    const owner = yield* Effect.flatMap(repo.owner(userId), (owner) => makeRoom(userId, owner, given.length))
    const marked = yield* repo.marked(given.flatMap(({ taskId }) => taskId ?? []))
    const drafts = given.filter(({ taskId }) => taskId === undefined || !marked.has(taskId))
    const placed = new Map<MemoryId, Pending>()
    const saved: Array<Saved> = []
    let added = 0
    for (const draft of drafts) {
      const row = yield* place(userId, space, placed, draft)
      if (row.isNew && !placed.has(row.id)) {
        if (owner.memories + added >= maxPerUser) continue
        added += 1
      }
      saved.push({ id: row.id, merged: !row.isNew || placed.has(row.id) })
      placed.set(row.id, row)
    }
    if (drafts.length === 0) return saved
    const isWritten = yield* repo.write(userId, {
      version: owner.version,
      space,
      rows: [...placed.values()],
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
      Effect.repeat({ until: (saved) => saved !== null, times: mostLooks }),
      Effect.flatMap((saved) =>
        saved === null ? Effect.dieMessage("Memories changed at every look") : Effect.succeed(saved)
      ),
      Effect.catchTag("SqlError", Effect.die),
      (work) => inTurn(userId, work)
    )

  return {
    one: (userId: UserId, space: Space, draft: Draft): Effect.Effect<Saved, MemoryRefused | SearchUnfinished> =>
      Effect.flatMap(save(userId, space, [draft]), ([saved]) =>
        saved === undefined
          ? new MemoryRefused({ reason: `The user has ${maxPerUser} memories already, the most that are kept.` })
          : Effect.succeed(saved)),
    /** Marks tasks of which nothing is kept. */
    skip: (userId: UserId, tasks: ReadonlyArray<TaskId>): Effect.Effect<void> =>
      Effect.flatMap(
        repo.owner(userId),
        ({ version }) => repo.write(userId, { version, space: { model: "", dimensions: 0 }, rows: [], tasks })
      ).pipe(
        Effect.repeat({ until: (isWritten) => isWritten, times: mostLooks }),
        Effect.orDie,
        (work) => inTurn(userId, work)
      ),
    /** Endings beyond the limit are forgotten; their tasks count as remembered all the same. */
    tasks: (userId: UserId, space: Space, drafts: ReadonlyArray<Draft>): Effect.Effect<void, SearchUnfinished> =>
      Effect.asVoid(save(userId, space, drafts))
  }
}

/** The newer content with the tags of both. What an agent chose to save stays its own: no limit takes it away. */
const merged = (
  draft: Draft,
  there: { readonly id: MemoryId; readonly tags: ReadonlyArray<string>; readonly taskId: TaskId | null },
  isNew: boolean
): Pending => ({
  id: there.id,
  content: draft.content,
  tags: unitedTags(draft.tags, there.tags),
  taskId: there.taskId === null ? null : draft.taskId ?? null,
  vector: draft.vector,
  isNew
})
