import type { SkillSource } from "@troupe/domain/Skill"
import { Effect, Either } from "effect"
import type { Dirent } from "node:fs"
import { lstat } from "node:fs/promises"
import { basename, join } from "node:path"
import { parseBytes } from "./Library/Fields.ts"
import { attempt, entriesOf, isLink, readUnlessSame } from "./Library/LibraryFile.ts"
import { type FolderFormat, type Found, type Scan, scanFolder } from "./Library/LibraryFolder.ts"
import { withScripts } from "./ScriptTool.ts"
import { scriptsFolder, type Skill, skillFileName } from "./Skill.ts"
import { parse, type ParsedSkill } from "./SkillFile.ts"

export interface FoundSkill extends Found<Skill> {
  readonly parsed: ParsedSkill
}

const maxScripts = 200
const maxOtherFiles = 200
const maxFileDepth = 4

/** The skills of a folder. */
export const scan = (
  root: string,
  source: SkillSource,
  known: ReadonlyMap<string, FoundSkill>
): Effect.Effect<Scan<FoundSkill>> => scanFolder(root, formatOf(source), known)

const formatOf = (source: SkillSource): FolderFormat<FoundSkill> => ({
  noun: "skill",
  isCandidate: (entry) => entry.name !== packagesFolder && (entry.isDirectory() || entry.isSymbolicLink()),
  read: (root, entry, known) => readSkill(root, entry, source, known)
})

const readSkill = (root: string, entry: Dirent, source: SkillSource, known: FoundSkill | undefined) =>
  Effect.gen(function*() {
    if (!entry.isDirectory()) return yield* Effect.fail(isLink)
    const folder = join(root, entry.name)
    const names = (yield* entriesOf(folder)).map(({ name }) => name)
    const file = names.find((name) => name === skillFileName)
      ?? names.find((name) => name.toLowerCase() === skillFileName.toLowerCase())
    if (file === undefined) return yield* Effect.fail(`there is no ${skillFileName}`)
    const { bytes, stamp, updatedAt } = yield* readUnlessSame(join(folder, file), known?.stamp)
    const parsed = bytes === null && known !== undefined
      ? known.parsed
      : yield* parseBytes(bytes ?? new Uint8Array(), (source) => parse(source, basename(folder)))
    const scripts = yield* filesOf(join(folder, scriptsFolder), maxScripts + 1)
    if (scripts.length > maxScripts) {
      return yield* Effect.fail(`it has more than ${maxScripts} files in ${scriptsFolder}`)
    }
    const others = yield* filesOf(folder, maxOtherFiles, (name) => name !== file && name !== scriptsFolder)
    const created = yield* attempt(folder, () => lstat(folder))
    const { tools, warnings } = withScripts(parsed.tools, scripts)
    const misnamed = `its file is named "${file}"; other programs read only ${skillFileName}`
    const item: Skill = {
      ...parsed.text,
      aliases: parsed.aliases,
      warnings: [...parsed.warnings, ...(file === skillFileName ? [] : [misnamed]), ...warnings],
      tools,
      source,
      folder,
      file,
      scripts,
      files: others,
      // File systems without a time of creation answer 0 or a later time.
      createdAt: created.birthtimeMs > 0 ? Math.min(created.birthtimeMs, updatedAt) : updatedAt,
      updatedAt
    }
    return {
      item,
      parsed,
      path: folder,
      place: `the folder "${entry.name}"`,
      isNamesake: entry.name === item.name,
      stamp,
      version: [stamp, ...scripts, ...others].join("\n")
    }
  })

const packagesFolder = "node_modules"

/**
 * Regular files only, by their path in the folder: a link could make a file of a skill of anything on the machine.
 * Stops at `limit`.
 */
const filesOf = (
  folder: string,
  limit: number,
  isWanted: (name: string) => boolean = () => true
): Effect.Effect<ReadonlyArray<string>, string> => {
  const found: Array<string> = []
  const visit = (location: string, prefix: string, depth: number): Effect.Effect<void, string> =>
    Effect.gen(function*() {
      const root = yield* Effect.either(attempt(location, () => lstat(location)))
      if (Either.isLeft(root) || !root.right.isDirectory()) return
      for (const entry of yield* entriesOf(location)) {
        if (found.length >= limit) return
        if (depth === 1 && !isWanted(entry.name)) continue
        const name = `${prefix}${entry.name}`
        if (entry.isFile()) found.push(name)
        if (entry.isDirectory() && depth < maxFileDepth && entry.name !== packagesFolder) {
          yield* visit(join(location, entry.name), `${name}/`, depth + 1)
        }
      }
    })
  return Effect.as(visit(folder, "", 1), found)
}
