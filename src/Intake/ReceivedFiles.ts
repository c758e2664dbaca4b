import { fileNameOf } from "@troupe/domain/FileName"
import type { UserId } from "@troupe/domain/Ids"
import { markedSection } from "@troupe/domain/Text"
import { Effect, Either } from "effect"
import { agrees, extensions, kindOf } from "../File/Documents/DocumentKind.ts"
import { maxWriteBytes, type Sandbox } from "../File/Sandbox.ts"

/** The files that came with a message. */
export interface ReceivedFiles {
  /** In the user's folder. */
  readonly paths: ReadonlyArray<string>
  readonly leftOut: ReadonlyArray<{ readonly name: string; readonly reason: string }>
}

export interface ReceivedFile<E> {
  /** As the sender gave it, perhaps with folders. */
  readonly name: string
  /** Where it is saved, by its usable name: the same in each attempt. */
  readonly pathOf: (name: string) => string
  /** Why it can't be received, where that is known before. */
  readonly unavailable?: string | null
  /** Fails with a text where the file is to be left out. */
  readonly content: Effect.Effect<Uint8Array, E | string>
}

const maxShownName = 200

/** Saves files in place of those of an earlier attempt. Files that the rules of uploads refuse are left out. */
export const receiveFiles = <E = never>(
  sandbox: Sandbox["Type"],
  userId: UserId,
  files: ReadonlyArray<ReceivedFile<E>>
): Effect.Effect<ReceivedFiles, E> =>
  Effect.gen(function*() {
    const paths: Array<string> = []
    const leftOut: Array<{ readonly name: string; readonly reason: string }> = []
    for (const file of files) {
      const saved = yield* Effect.either(receiveFile(sandbox, userId, file))
      if (Either.isRight(saved)) paths.push(saved.right)
      else if (typeof saved.left === "string") {
        leftOut.push({ name: file.name.slice(0, maxShownName), reason: saved.left })
      } else return yield* Effect.fail(saved.left)
    }
    return { paths, leftOut }
  })

const receiveFile = <E>(sandbox: Sandbox["Type"], userId: UserId, received: ReceivedFile<E>) =>
  Effect.gen(function*() {
    const { content, name: given, pathOf, unavailable = null } = received
    if (unavailable !== null) return yield* Effect.fail(unavailable)
    const name = yield* fileNameOf(given.split(/[/\\]/).at(-1) ?? "")
    const kind = kindOf(name)
    if (kind === undefined) return yield* Effect.fail(`its extension is not one of ${extensions.join(", ")}`)
    const bytes = yield* content
    yield* Effect.mapError(agrees(name, kind, bytes), ({ reason }) => reason)
    const path = pathOf(name)
    for (let at = 0; at === 0 || at < bytes.length; at += maxWriteBytes) {
      yield* sandbox.write(userId, path, bytes.subarray(at, at + maxWriteBytes), { append: at > 0 }).pipe(
        Effect.mapError(({ reason }) => reason)
      )
    }
    return path
  })

/** What the agent reads of the files: paragraphs, none where there is nothing to say. */
export const attachedText = ({ paths }: ReceivedFiles): ReadonlyArray<string> =>
  markedSection("Files that came with this message, for read_document", "attachments", paths.join("\n"))

export const leftOutText = ({ leftOut }: ReceivedFiles): ReadonlyArray<string> =>
  markedSection(
    "Files that came with this message and could not be taken",
    "left_out",
    leftOut.map(({ name, reason }) => `${name}: ${reason}`).join("\n")
  )
