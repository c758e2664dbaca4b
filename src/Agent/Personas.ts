import { Clock, Context, Effect, Layer } from "effect"
import { constants } from "node:fs"
import { open, realpath } from "node:fs/promises"
import { dirname, join } from "node:path"
import { parsePersona, type Persona } from "./PersonaFile.ts"

/** What a persona file may say, in bytes; it is part of every system prompt of its project. */
const maxBytes = 64 * 1024

/** A change of the file is seen after this long. */
const lookEvery = 5_000

const maxKept = 256

interface Kept {
  readonly checkedAt: number
  /** Changes with the file; null while there is none. */
  readonly version: string | null
  readonly persona: Persona | null
}

/**
 * The persona files of projects, `<project folder>/.agent/SOUL.md`, kept in memory and looked at again after some
 * seconds. A file that can't be used is told of in the log, once a version.
 */
export class Personas extends Context.Tag("troupe/Agent/Personas")<Personas, {
  /** The persona in this project folder, or null where there is none. */
  readonly of: (folder: string) => Effect.Effect<Persona | null>
}>() {
  static readonly layer: Layer.Layer<Personas> = Layer.sync(this, () => {
    const kept = new Map<string, Kept>()

    const look = Effect.fnUntraced(function*(folder: string, now: number) {
      const before = kept.get(folder)
      const path = join(folder, ".agent", "SOUL.md")
      const found = yield* read(path, before?.version ?? null)
      if (found._tag === "Same" && before !== undefined) return { ...before, checkedAt: now }
      if (found._tag !== "Read") return { checkedAt: now, version: null, persona: null }
      const { persona, problem } = found.text === null
        ? { persona: null, problem: `it must be a file of at most ${maxBytes >> 10} KiB` }
        : parsePersona(found.text)
      if (problem !== null) yield* Effect.logWarning(`The persona file ${path} can't be used as it is: ${problem}`)
      return { checkedAt: now, version: found.version, persona }
    })

    return Personas.of({
      of: Effect.fnUntraced(function*(folder) {
        const now = yield* Clock.currentTimeMillis
        const known = kept.get(folder)
        if (known !== undefined && now - known.checkedAt < lookEvery) return known.persona
        const next = yield* look(folder, now)
        kept.delete(folder)
        kept.set(folder, next)
        const oldest = kept.keys().next().value
        if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest)
        return next.persona
      })
    })
  })
}

type Found =
  | { readonly _tag: "Missing" }
  | { readonly _tag: "Same" }
  /** `text` is null for what is no plain file, or too large. */
  | { readonly _tag: "Read"; readonly version: string; readonly text: string | null }

const missing: Found = { _tag: "Missing" }

/** Only a plain file in a plain folder counts: no link leads out of the project, and no pipe keeps us waiting. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

const openPlain = (path: string) =>
  Effect.tryPromise(() => realpath(dirname(path))).pipe(
    Effect.filterOrFail((folder) => folder === dirname(path)),
    Effect.zipRight(Effect.tryPromise(() => open(path, flags)))
  )

const read = (path: string, version: string | null): Effect.Effect<Found> =>
  Effect.acquireUseRelease(
    openPlain(path),
    (file) =>
      Effect.tryPromise(() => file.stat()).pipe(
        Effect.flatMap((stat): Effect.Effect<Found, unknown> => {
          const current = `${stat.mtimeMs}:${stat.size}:${stat.ino}`
          if (current === version) return Effect.succeed({ _tag: "Same" })
          if (!stat.isFile() || stat.size > maxBytes) {
            return Effect.succeed({ _tag: "Read", version: current, text: null })
          }
          return Effect.map(
            Effect.tryPromise(() => file.readFile("utf8")),
            (text): Found => ({ _tag: "Read", version: current, text })
          )
        })
      ),
    (file) => Effect.promise(() => file.close())
  ).pipe(Effect.orElseSucceed(() => missing))
