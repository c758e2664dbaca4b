import {
  SkillChange,
  SkillDraft,
  SkillInvalid,
  SkillName,
  SkillNameTaken,
  SkillNotFound,
  SkillReadOnly,
  type SkillReload,
  type SkillStatus,
  SkillsUnwritable,
  type SkillText
} from "@troupe/domain/Skill"
import { Context, type Duration, Effect, Either, Layer, Option, Schema } from "effect"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { isDeepStrictEqual } from "node:util"
import type { ScheduledJobs } from "../Runtime/Cluster/ScheduledJobs.ts"
import { projectFolder } from "../Runtime/ProjectFolder.ts"
import { issuesOf } from "./Library/Fields.ts"
import { makeLibrary } from "./Library/Library.ts"
import { maxFileBytes, sourceOf } from "./Library/LibraryFile.ts"
import * as Writing from "./Library/LibraryWriting.ts"
import { type ScriptTool, scriptToolsOf } from "./ScriptTool.ts"
import { type Skill, skillFileName } from "./Skill.ts"
import { blank, edited, parse, print } from "./SkillFile.ts"
import { type FoundSkill, scan } from "./SkillFolder.ts"
import { isMet, SkillRequirements } from "./SkillRequirements.ts"

export interface SkillsOptions {
  /** Skills that come with the service, by default those of the repository; never written. */
  readonly builtIn?: string
  /** Skills of the users; one named as a built-in skill replaces it. Made when first needed. */
  readonly custom: string
  readonly refreshInterval: Duration.DurationInput
}

type Writable = SkillInvalid | SkillNameTaken | SkillsUnwritable

/** The skills on disk, the same for every process within the refresh interval, and for this one at once. */
export class Skills extends Context.Tag("troupe/Skill/Skills")<Skills, {
  /** The folder of the users' skills. */
  readonly custom: string
  /** By name. Broken files are not among them. */
  readonly list: Effect.Effect<ReadonlyArray<Skill>>
  /** The scripts that are tools; the same array until one of them changes. */
  readonly scriptTools: () => ReadonlyArray<ScriptTool>
  /** By its name, or else by the name in its file or that of its folder. */
  readonly find: (name: string) => Effect.Effect<Skill, SkillNotFound>
  readonly create: (draft: SkillDraft) => Effect.Effect<Skill, Writable>
  /** A built-in skill is never changed: the change goes to a copy with its scripts, which replaces it. */
  readonly update: (name: string, change: SkillChange) => Effect.Effect<Skill, Writable | SkillNotFound>
  /** Removes a skill of the users, even a broken one; a built-in skill that it replaced is found again. */
  readonly remove: (name: string) => Effect.Effect<SkillName, SkillNotFound | SkillReadOnly | SkillsUnwritable>
  readonly reload: Effect.Effect<SkillReload>
  readonly requirements: Effect.Effect<ReadonlyArray<SkillStatus>>
}>() {
  static readonly layer = (options: SkillsOptions): Layer.Layer<Skills, never, SkillRequirements | ScheduledJobs> =>
    Layer.scoped(this, make({ builtIn: ownFolder, ...options }))
}

const ownFolder = fileURLToPath(new URL("skills/", projectFolder)).replace(/[/\\]$/, "")

const make = (options: Required<SkillsOptions>) =>
  Effect.gen(function*() {
    const { missing } = yield* SkillRequirements
    let scriptTools: ReadonlyArray<ScriptTool> = []
    yield* Writing.sweep(options.custom)
    const { exclusively, find, known, refresh } = yield* makeLibrary<FoundSkill>({
      noun: "skill",
      job: "skills_refresh",
      refreshInterval: options.refreshInterval,
      scan: (known) =>
        Effect.tap(
          Effect.all([scan(options.builtIn, "built-in", known), scan(options.custom, "custom", known)]),
          (scans) =>
            Effect.sync(() => {
              const tools = scriptToolsOf(scans.flatMap(({ found }) => found.map(({ item }) => item)))
              if (!isDeepStrictEqual(tools, scriptTools)) scriptTools = tools
            })
        )
    })

    const current = (name: string) => Effect.flatMap(find(name), Effect.mapError(() => new SkillNotFound({ name })))

    /** The skill as it is on disk after a write; another process may have changed it since. */
    const written = (name: SkillName) => Effect.zipRight(refresh, Effect.orDie(current(name)))

    const create = Effect.fn("Skills.create")(
      function*(draft: SkillDraft) {
        const { name } = draft
        if (name === reservedName) return yield* new SkillInvalid({ name, reason: "the name is reserved" })
        yield* checked(SkillDraft, name, draft)
        const content = yield* readable(name, print(skillOf(draft)))
        yield* refresh
        if ((yield* known).byName.has(name)) return yield* new SkillNameTaken({ name })
        yield* makeFolder(options.custom, name, content, null)
        return yield* written(name)
      },
      Effect.uninterruptible,
      exclusively
    )

    const update = Effect.fn("Skills.update")(
      function*(name: string, change: SkillChange) {
        yield* refresh
        const skill = yield* current(name)
        const requirements = change.requirements && { ...skill.requirements, ...change.requirements }
        const different = differentIn({ ...change, requirements }, skill)
        yield* checked(SkillChange, name, different)
        const source = yield* Effect.mapError(
          sourceOf(join(skill.folder, skill.file)),
          (reason) => new SkillsUnwritable({ reason })
        )
        const content = yield* readable(name, edited(source, different))
        const path = join(skill.folder, skill.file)
        yield* skill.source === "custom"
          ? orUnwritable(Writing.replace(path, content))
          : makeFolder(options.custom, skill.name, content, path)
        return yield* written(skill.name)
      },
      Effect.uninterruptible,
      exclusively
    )

    const remove = Effect.fn("Skills.remove")(
      function*(name: string) {
        yield* refresh
        const skill = Option.getOrNull(yield* Effect.option(current(name)))
        const skillName = skill?.name ?? (yield* Effect.mapError(decodeName(name), () => new SkillNotFound({ name })))
        const folder = skill?.source === "custom" ? skill.folder : join(options.custom, skillName)
        // A link may be a broken skill, a file never is one.
        if (/folder|link/.test(yield* orUnwritable(Writing.present(folder)))) {
          yield* orUnwritable(Writing.remove(folder))
          yield* refresh
          return skillName
        }
        if (skill === null) return yield* new SkillNotFound({ name })
        return yield* new SkillReadOnly({ name: skillName })
      },
      Effect.uninterruptible,
      exclusively
    )

    const list = Effect.map(known, ({ list }) => list)

    return Skills.of({
      custom: options.custom,
      list,
      scriptTools: () => scriptTools,
      find: current,
      create,
      update,
      remove,
      reload: Effect.withSpan(exclusively(refresh), "Skills.reload"),
      requirements: Effect.flatMap(
        list,
        (skills) =>
          Effect.forEach(skills, (skill) =>
            Effect.map(missing(skill), (lacking): SkillStatus => ({
              name: skill.name,
              met: isMet(lacking),
              missing: lacking
            })), { concurrency: 4 })
      )
    })
  })

const orUnwritable = <A>(work: Effect.Effect<A, Writing.Unwritable>): Effect.Effect<A, SkillsUnwritable> =>
  Effect.mapError(work, ({ reason }) => new SkillsUnwritable({ reason }))

/** Creates the folder of a skill in one step, with the other files beside `origin`. */
const makeFolder = (root: string, name: SkillName, content: string, origin: string | null) =>
  Effect.catchTags(Writing.makeFolder(join(root, name), skillFileName, content, origin), {
    Occupied: () => new SkillNameTaken({ name }),
    Unwritable: ({ reason }) => new SkillsUnwritable({ reason })
  })

/** `GET /api/skills/requirements` is another endpoint. */
export const reservedName = "requirements"

const decodeName = Schema.decodeUnknown(SkillName)

const skillOf = ({ description, instructions, name, requirements, ...rest }: SkillDraft): SkillText => {
  const empty = blank(name, description, instructions)
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  return { ...empty, ...given, requirements: { ...empty.requirements, ...requirements } }
}

/** Without the fields that would stay as they are: the file may write them otherwise than the format says. */
const differentIn = (change: SkillChange, skill: Skill): SkillChange => {
  const known: Readonly<Record<string, unknown>> = { ...skill }
  return Object.fromEntries(
    Object.entries(change).filter(([field, value]) => value !== undefined && !isDeepStrictEqual(value, known[field]))
  )
}

/** What is written through the API fits the format, which files from elsewhere need not. */
const checked = <A, I>(schema: Schema.Schema<A, I>, name: string, given: A): Effect.Effect<void, SkillInvalid> =>
  Effect.mapError(
    Schema.validate(schema)(given),
    (error) => new SkillInvalid({ name, reason: issuesOf(error).join("; ") })
  )

/** Fails unless the text would be read as a skill. */
const readable = (name: string, content: string): Effect.Effect<string, SkillInvalid> => {
  const reason = new TextEncoder().encode(content).length > maxFileBytes
    ? `it would be larger than ${maxFileBytes / 1024} KB`
    : Either.match(parse(content), { onLeft: (why) => why, onRight: () => null })
  return reason === null ? Effect.succeed(content) : new SkillInvalid({ name, reason })
}
