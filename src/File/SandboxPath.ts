import { fileNameOf } from "@troupe/domain/FileName"
import { Effect, Either } from "effect"
import { SandboxRefused } from "./SandboxRefused.ts"

export const maxDepth = 32
const maxLength = 2_048

/** The names of a relative path that does not lead out, none for the user's folder itself. Links are not resolved. */
export const namesOf = (path: string): Effect.Effect<ReadonlyArray<string>, SandboxRefused> => {
  const refused = (reason: string) => new SandboxRefused({ path, kind: "name", reason })
  if (path.length > maxLength) return refused(`a path must not be longer than ${maxLength} characters`)
  if (/^(?:\/|\\|[A-Za-z]:)/.test(path)) {
    return refused("the path must be relative to the user's folder, such as notes/plan.md")
  }
  const names: Array<string> = []
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue
    if (part === "..") {
      if (names.pop() === undefined) return refused("the path leads out of the user's folder")
      continue
    }
    const name = fileNameOf(part)
    if (Either.isLeft(name)) return refused(name.left)
    if (name.right.startsWith(temporaryPrefix)) return refused(`names beginning with ${temporaryPrefix} are reserved`)
    names.push(name.right)
  }
  return names.length > maxDepth ? refused(`at most ${maxDepth} folders may be nested`) : Effect.succeed(names)
}

/** Marks a file that is still being written. It is neither listed nor opened. */
export const temporaryPrefix = ".troupe-writing-"
