import { Effect, Either } from "effect"
import type { Dirent } from "node:fs"
import { join } from "node:path"
import { entriesOf } from "./LibraryFile.ts"

/** What a file of a library defines: a skill or an agent. */
export interface Item {
  readonly name: string
  /** Other names under which it is found. */
  readonly aliases: ReadonlyArray<string>
  /** What its file has otherwise than the format says, and how it was read. */
  readonly warnings: ReadonlyArray<string>
}

export interface Found<A extends Item = Item> {
  readonly item: A
  /** The entry of the library's folder in which it is. */
  readonly path: string
  /** What a clash of names calls that entry. */
  readonly place: string
  /** The entry has the item's own name. */
  readonly isNamesake: boolean
  /** Changes with the file, so that an unchanged one is not read again. */
  readonly stamp: string
  /** Changes with everything that belongs to the item. */
  readonly version: string
}

export interface Fault {
  readonly path: string
  readonly message: string
}

export interface Scan<F> {
  readonly found: ReadonlyArray<F>
  readonly faults: ReadonlyArray<Fault>
}

export interface FolderFormat<F> {
  /** What an item is called: a skill. */
  readonly noun: string
  readonly isCandidate: (entry: Dirent) => boolean
  /** Fails with the reason why the entry defines nothing. */
  readonly read: (root: string, entry: Dirent, known: F | undefined) => Effect.Effect<F, string>
}

const maxItems = 1000

/** The items of a folder. Links are never followed, hidden entries ignored, and a missing folder counts as empty. */
export const scanFolder = <F extends Found>(
  root: string,
  { isCandidate, noun, read }: FolderFormat<F>,
  known: ReadonlyMap<string, F>
): Effect.Effect<Scan<F>> =>
  Effect.gen(function*() {
    const entries = yield* Effect.either(entriesOf(root))
    if (Either.isLeft(entries)) return { found: [], faults: [fault(root, entries.left)] }
    const candidates = entries.right.filter(isCandidate)
    const [faults, all] = yield* Effect.partition(
      candidates.slice(0, maxItems),
      (entry) => {
        const path = join(root, entry.name)
        return Effect.mapError(read(root, entry, known.get(path)), (why) => fault(path, why))
      },
      { concurrency: 8 }
    )
    const { clashes, found } = withoutClashes(all, noun)
    const more = candidates.length > maxItems ? [fault(root, `only the first ${maxItems} ${noun}s are read`)] : []
    return { found, faults: [...faults, ...clashes, ...more] }
  })

const fault = (path: string, message: string): Fault => ({ path, message })

/** Of two items with one name, the one whose entry has that name, or else the first by entry, is used. */
const withoutClashes = <F extends Found>(all: ReadonlyArray<F>, noun: string) => {
  const byName = new Map<string, F>()
  for (const one of all) {
    const known = byName.get(one.item.name)
    if (known === undefined || (!known.isNamesake && one.isNamesake)) byName.set(one.item.name, one)
  }
  const found = [...byName.values()]
  const clashes = all.filter((one) => !found.includes(one)).map(({ item, path }) =>
    fault(path, `the ${noun} in ${byName.get(item.name)?.place ?? ""} is named "${item.name}" too; rename one`)
  )
  return { found, clashes }
}
