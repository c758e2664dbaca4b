import { type InboxEntry, type InboxKind, kindOf, taskIdOf } from "../../service/InboxQueries.ts"

/** What one task has of one kind, the oldest first. */
export interface InboxRow {
  readonly id: string
  readonly kind: InboxKind
  readonly entries: readonly [InboxEntry, ...ReadonlyArray<InboxEntry>]
}

export interface InboxSection {
  readonly kind: InboxKind
  readonly rows: readonly [InboxRow, ...ReadonlyArray<InboxRow>]
  /** When its oldest entry came. */
  readonly oldest: string
}

/** Groups entries, which are ordered by kind and then by age, by their kinds and tasks. */
export const sectionsOf = (entries: ReadonlyArray<InboxEntry>): ReadonlyArray<InboxSection> => {
  const byKind = new Map<InboxKind, Map<string, readonly [InboxEntry, ...ReadonlyArray<InboxEntry>]>>()
  for (const entry of entries) {
    const kind = kindOf(entry)
    const tasks = byKind.get(kind) ?? new Map<string, readonly [InboxEntry, ...ReadonlyArray<InboxEntry>]>()
    byKind.set(kind, tasks)
    const task = taskIdOf(entry) ?? entry.id
    const same = tasks.get(task)
    tasks.set(task, same === undefined ? [entry] : [...same, entry])
  }
  return [...byKind].flatMap(([kind, tasks]): ReadonlyArray<InboxSection> => {
    const [first, ...others] = [...tasks].map(([task, entries]): InboxRow => ({ id: `${kind}.${task}`, kind, entries }))
    return first === undefined ? [] : [{ kind, rows: [first, ...others], oldest: first.entries[0].at }]
  })
}
