import { Cache, Data, Duration, Effect, Either, Predicate } from "effect"
import { constants } from "node:fs"
import { open, realpath } from "node:fs/promises"
import { dirname, join } from "node:path"
import { noLinkNoWait } from "../File/OpenDirectory.ts"
import { makeExpiringCache } from "../Runtime/Cache.ts"
import { splitFrontMatter, valueOf } from "../Skill/Library/FrontMatter.ts"

export interface Persona {
  readonly name: string | null
  readonly role: string | null
  readonly specialization: string | null
  readonly tone: string | null
  readonly instructions: string | null
}

const maxBytes = 64 * 1024
const maxCharacters = 500

const timeToLive = Duration.seconds(5)

/** The persona files of projects, `<project folder>/.agent/SOUL.md`. An invalid version of a file is logged once. */
export const makePersonas = Effect.gen(function*() {
  const warned = yield* Cache.make({
    capacity: 256,
    timeToLive: Duration.infinity,
    lookup: ({ path, problem }: { readonly path: string; readonly version: string; readonly problem: string }) =>
      Effect.logWarning(`The persona file ${path} is invalid: ${problem}`)
  })
  const load = Effect.fnUntraced(function*(folder: string) {
    const path = join(folder, ".agent", "SOUL.md")
    const file = yield* read(path)
    if (file === null) return null
    const { persona, problem } = file.text === null
      ? { persona: null, problem: `it must be a file of at most ${maxBytes >> 10} KiB` }
      : parsePersona(file.text)
    if (problem !== null) yield* warned.get(Data.struct({ path, version: file.version, problem }))
    return persona
  })
  return makeExpiringCache({ capacity: 256, timeToLive, lookup: load })
})

/** `text` is null for anything but a file of allowed size. */
interface PersonaSource {
  readonly version: string
  readonly text: string | null
}

/** Symbolic links must not lead out of the project, and a pipe must not block the reader. */
const openPlain = (path: string) =>
  Effect.tryPromise(() => realpath(dirname(path))).pipe(
    Effect.filterOrFail((folder) => folder === dirname(path)),
    Effect.zipRight(Effect.tryPromise(() => open(path, constants.O_RDONLY | noLinkNoWait)))
  )

const read = (path: string): Effect.Effect<PersonaSource | null> =>
  Effect.acquireUseRelease(
    openPlain(path),
    (file) =>
      Effect.gen(function*() {
        const stat = yield* Effect.tryPromise(() => file.stat())
        const version = `${stat.mtimeMs}:${stat.size}:${stat.ino}`
        if (!stat.isFile() || stat.size > maxBytes) return { version, text: null }
        return { version, text: yield* Effect.tryPromise(() => file.readFile("utf8")) }
      }),
    (file) => Effect.promise(() => file.close())
  ).pipe(Effect.orElseSucceed(() => null))

/** Invalid front matter is ignored and reported as `problem`; the body is used all the same. */
export const parsePersona = (source: string): { readonly persona: Persona; readonly problem: string | null } => {
  const { body, yaml } = splitFrontMatter(source)
  const fields = yaml === null ? Either.right({}) : fieldsOf(yaml)
  const given: Readonly<Record<string, unknown>> = Either.getOrElse(fields, () => ({}))
  return {
    persona: {
      name: line(given["name"]),
      role: line(given["role"]),
      specialization: line(given["specialization"]),
      tone: line(given["tone"]),
      instructions: body.trim() || null
    },
    problem: Either.isLeft(fields) ? fields.left : null
  }
}

const fieldsOf = (yaml: string): Either.Either<Readonly<Record<string, unknown>>, string> =>
  valueOf(yaml).pipe(
    Either.map((value) => value ?? {}),
    Either.filterOrLeft(Predicate.isRecord, () => "the front matter must be names with values")
  )

const line = (given: unknown): string | null => {
  if (typeof given !== "string") return null
  const text = given.replaceAll(/\s+/g, " ").trim().replace(/\.$/, "")
  return text === "" ? null : text.slice(0, maxCharacters)
}
