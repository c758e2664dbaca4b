import type { UserId } from "@troupe/domain/Ids"
import { Effect } from "effect"
import { agrees, type DocumentKind, extensions, kindOf } from "../File/Documents/DocumentKind.ts"
import { maxWriteBytes, type Sandbox } from "../File/Sandbox.ts"

/** The files that came with a message. */
export interface ReceivedFiles {
  /** In the user's folder. */
  readonly paths: ReadonlyArray<string>
  readonly leftOut: ReadonlyArray<{ readonly name: string; readonly reason: string }>
}

/** What a file is by its name; fails with the reason why an upload could not be it. */
export const acceptedKind = (name: string): Effect.Effect<DocumentKind, string> => {
  const kind = kindOf(name)
  return kind === undefined
    ? Effect.fail(`its extension is not one of ${extensions.join(", ")}`)
    : Effect.succeed(kind)
}

interface ReceivedFile {
  readonly name: string
  readonly kind: DocumentKind
  readonly content: Uint8Array
}

/** Writes a file to the user's folder, in place of one from an earlier attempt; fails with the reason. */
export const saveFile = (
  sandbox: Sandbox["Type"],
  userId: UserId,
  path: string,
  { content, kind, name }: ReceivedFile
): Effect.Effect<string, string> =>
  Effect.gen(function*() {
    yield* agrees(name, kind, content)
    for (let at = 0; at === 0 || at < content.length; at += maxWriteBytes) {
      yield* sandbox.write(userId, path, content.subarray(at, at + maxWriteBytes), { append: at > 0 })
    }
    return path
  }).pipe(Effect.mapError(({ reason }) => reason))
