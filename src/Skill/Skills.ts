import {
  type SkillChange,
  type SkillDraft,
  type SkillFault,
  SkillInvalid,
  SkillName,
  SkillNameTaken,
  SkillNotFound,
  SkillReadOnly,
  type SkillReload,
  type SkillStatus,
  type SkillsUnwritable,
  type SkillText
} from "@troupe/domain/Skill"
import { Context, type Duration, Effect, Either, Layer, Ref, Schedule, Schema } from "effect"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { ScheduledJobs } from "../Runtime/Cluster/ScheduledJobs.ts"
import { projectFolder } from "../Runtime/ProjectFolder.ts"
import type { Skill } from "./Skill.ts"
import { blank, type KeptFields, keptFields, maxFileBytes, parse, print } from "./SkillFile.ts"
import { type FoundSkill, scan, sourceOf } from "./SkillFolder.ts"
import { isMet, SkillRequirements } from "./SkillRequirements.ts"
import * as Writing from "./SkillWriting.ts"

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

/** What the last scan found. `files` has skills by folder, replaced ones too. */
interface Known {
  readonly skills: ReadonlyMap<string, FoundSkill>
  /** By name; the same array until the next scan. */
  readonly list: ReadonlyArray<Skill>
  readonly files: ReadonlyMap<string, FoundSkill>
  readonly faults: ReadonlyArray<SkillFault>
}

const make = (options: Required<SkillsOptions>) =>
  Effect.gen(function*() {
    const jobs = yield* ScheduledJobs
    const { missing } = yield* SkillRequirements
    const known = yield* Ref.make<Known>({ skills: new Map(), list: [], files: new Map(), faults: [] })
    const exclusively = (yield* Effect.makeSemaphore(1)).withPermits(1)

    const refresh = Effect.gen(function*() {
      const before = yield* Ref.get(known)
      const [builtIn, custom] = yield* Effect.all([
        scan(options.builtIn, "built-in", before.files),
        scan(options.custom, "custom", before.files)
      ])
      const all = [...builtIn.found, ...custom.found]
      const skills = new Map(all.map((found) => [found.skill.name, found]))
      const after: Known = {
        skills,
        list: [...skills.values()].map(({ skill }) => skill).toSorted((one, other) => one.name < other.name ? -1 : 1),
        files: new Map(all.map((found) => [found.skill.folder, found])),
        faults: [...builtIn.faults, ...custom.faults]
      }
      yield* Ref.set(known, after)
      const isNew = ({ message, path }: SkillFault) =>
        before.faults.every((one) => one.path !== path || one.message !== message)
      yield* Effect.forEach(
        after.faults.filter(isNew),
        ({ message, path }) => Effect.logWarning(`Skipped a skill: ${message}`).pipe(Effect.annotateLogs({ path }))
      )
      return differences(before, after)
    })

    const current = (name: string) =>
      Effect.flatMap(Ref.get(known), ({ skills }) => {
        const found = skills.get(name)
        return found === undefined ? new SkillNotFound({ name }) : Effect.succeed(found.skill)
      })

    /** The skill as it is on disk after a write; another process may have changed it since. */
    const written = (name: SkillName) => Effect.zipRight(refresh, Effect.orDie(current(name)))

    const create = Effect.fn("Skills.create")(
      function*(draft: SkillDraft) {
        const { description, instructions, name, ...change } = draft
        if (name === reservedName) return yield* new SkillInvalid({ name, reason: "the name is reserved" })
        const content = yield* contentOf(name, changed(blank(name, description, instructions), change))
        yield* refresh
        if ((yield* Ref.get(known)).skills.has(name)) return yield* new SkillNameTaken({ name })
        yield* Writing.make(options.custom, name, content, null)
        return yield* written(name)
      },
      Effect.uninterruptible,
      exclusively
    )

    const update = Effect.fn("Skills.update")(
      function*(name: string, change: SkillChange) {
        yield* refresh
        const skill = yield* current(name)
        const source = yield* Effect.orElseSucceed(sourceOf(skill.folder), () => "")
        const { metadata, ...foreign } = keptFields(source)
        const kept = metadata === undefined || change.metadata !== undefined ? foreign : { ...foreign, metadata }
        const content = yield* contentOf(name, changed(skill, change), kept)
        yield* skill.source === "custom"
          ? Writing.replace(skill.folder, content)
          : Writing.make(options.custom, skill.name, content, skill.folder)
        return yield* written(skill.name)
      },
      Effect.uninterruptible,
      exclusively
    )

    const remove = Effect.fn("Skills.remove")(
      function*(name: string) {
        const skillName = yield* Effect.mapError(decodeName(name), () => new SkillNotFound({ name }))
        if ((yield* Writing.present(join(options.custom, skillName))) === "folder") {
          yield* Writing.remove(options.custom, skillName)
          yield* refresh
          return skillName
        }
        yield* refresh
        yield* current(name)
        return yield* new SkillReadOnly({ name: skillName })
      },
      Effect.uninterruptible,
      exclusively
    )

    const list = Effect.map(Ref.get(known), ({ list }) => list)

    yield* Writing.sweep(options.custom)
    yield* refresh
    yield* jobs.start({
      name: "skills_refresh",
      scope: "process",
      schedule: Schedule.spaced(options.refreshInterval),
      run: exclusively(refresh)
    })

    return Skills.of({
      custom: options.custom,
      list,
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

/** `GET /api/skills/requirements` is another endpoint. */
export const reservedName = "requirements"

const decodeName = Schema.decodeUnknown(SkillName)

const differences = (before: Known, after: Known): SkillReload => {
  const names = after.list.map(({ name }) => name)
  const isChanged = (name: SkillName) => {
    const [one, other] = [before.skills.get(name), after.skills.get(name)]
    return one !== undefined && other !== undefined && versionOf(one) !== versionOf(other)
  }
  return {
    count: names.length,
    added: names.filter((name) => !before.skills.has(name)),
    updated: names.filter(isChanged),
    removed: before.list.map(({ name }) => name).filter((name) => !after.skills.has(name)),
    errors: after.faults
  }
}

const versionOf = ({ skill, stamp }: FoundSkill) => [stamp, skill.folder, ...skill.scripts].join("\n")

const changed = (text: SkillText, change: SkillChange): SkillText => {
  const { requirements, ...rest } = change
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  return { ...text, ...given, requirements: { ...text.requirements, ...requirements } }
}

/** Fails unless the text would be read as the same skill. */
const contentOf = (
  name: string,
  text: SkillText,
  kept: KeptFields = {}
): Effect.Effect<string, SkillInvalid> => {
  const content = print(text, kept)
  const reason = new TextEncoder().encode(content).length > maxFileBytes
    ? `it would be larger than ${maxFileBytes / 1024} KB`
    : Either.match(parse(content), { onLeft: (why) => why, onRight: () => null })
  return reason === null ? Effect.succeed(content) : new SkillInvalid({ name, reason })
}
