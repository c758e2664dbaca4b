import { Effect } from "effect"
import { Screen } from "./Screen.ts"
import type { TextStyle } from "./TextStyle.ts"

/** Writes what was found as JSON, or else as a table; where nothing was found, a note says so. */
export const writeList = <A>(
  found: ReadonlyArray<A>,
  options: {
    readonly json: boolean
    readonly table: (found: ReadonlyArray<A>, paint: TextStyle) => string
    readonly none: string
  }
): Effect.Effect<void, never, Screen> =>
  Effect.gen(function*() {
    const screen = yield* Screen
    if (options.json) return yield* screen.json(found)
    yield* screen.write(options.table(found, screen.paint))
    if (found.length === 0) yield* screen.note(`${options.none}\n`)
  })

/** Says that it was deleted, and what becomes of what depends on it. */
export const writeDeleted = (id: string, json: boolean, note = "Deleted."): Effect.Effect<void, never, Screen> =>
  Effect.flatMap(Screen, (screen) => json ? screen.json({ deleted: [id] }) : screen.note(`${note}\n`))
