import type { UserId } from "@troupe/domain/Ids"
import type { Shown } from "@troupe/domain/Shown"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { posix } from "node:path"
import type { Found, ReadableFiles } from "../Skill/SkillFiles.ts"
import type { ToolContext } from "./AgentTool.ts"

export const digestOfContent = (content: Uint8Array | string): string =>
  createHash("sha256").update(content).digest("hex")

export const emptyDigest = digestOfContent("")

/** What files of the user show that the task did not write itself. */
export const filesShow = (what: string): Shown => ({ outside: what, private: true })

/** A file of a skill is the service's own text; one that the task wrote itself, as it wrote it, is the task's. */
export const shownByFile = (
  files: Pick<ReadableFiles, "readBytes">,
  { userId, written }: Pick<ToolContext, "userId" | "written">,
  { isOfSkill, path }: Pick<Found<unknown>, "isOfSkill" | "path">
): Effect.Effect<Shown> => {
  if (isOfSkill) return Effect.succeed({})
  const known = written?.get(posix.normalize(path))
  const shown = filesShow(`the file ${path.slice(0, 200)}`)
  return known === undefined
    ? Effect.succeed(shown)
    : digestOf(files, userId, path).pipe(Effect.map((digest) => digest === known ? {} : shown))
}

/** Empty for a file that can't be read. */
const digestOf = (files: Pick<ReadableFiles, "readBytes">, userId: UserId, path: string): Effect.Effect<string> =>
  files.readBytes(userId, path).pipe(Effect.map(digestOfContent), Effect.orElseSucceed(() => ""))
