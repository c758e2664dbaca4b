import { fileNameOf } from "@troupe/domain/FileName"
import type { UserId } from "@troupe/domain/Ids"
import { Context, Effect, Either, Layer, Stream } from "effect"
import { Sandbox } from "../../File/Sandbox.ts"
import { type ChatFailed, ChatPlatform } from "../../Wire/ChatPlatform.ts"
import { acceptedKind, type ReceivedFiles, saveFile } from "../ReceivedFiles.ts"
import type { SentFile } from "./ChatEvent.ts"

const maxFiles = 10

export class ChatFiles extends Context.Tag("troupe/Intake/Chat/ChatFiles")<ChatFiles, {
  /**
   * Downloads files to a folder of the message, so that a retry replaces them. Files that the rules of uploads refuse
   * are left out.
   */
  readonly receive: (
    userId: UserId,
    message: { readonly ts: string; readonly files: ReadonlyArray<SentFile> }
  ) => Effect.Effect<ReceivedFiles, ChatFailed>
}>() {
  static readonly layer = (
    { maxBytes }: { readonly maxBytes: number }
  ): Layer.Layer<ChatFiles, never, ChatPlatform | Sandbox> =>
    Layer.effect(
      this,
      Effect.gen(function*() {
        const platform = yield* ChatPlatform
        const sandbox = yield* Sandbox

        const download = ({ downloadUrl, size }: SentFile) =>
          size > maxBytes
            ? Effect.fail(`it has more than ${maxBytes} bytes`)
            : platform.downloadFile(downloadUrl, maxBytes).pipe(
              Stream.runCollect,
              Effect.map((chunks) => Buffer.concat([...chunks])),
              // The platform would refuse it again.
              Effect.catchAll((failed) => Effect.fail(failed.kind === "refused" ? failed.reason : failed))
            )

        const receiveOne = (userId: UserId, folder: string, file: SentFile) =>
          Effect.gen(function*() {
            const name = yield* fileNameOf(file.name.split(/[/\\]/).at(-1) ?? "")
            const kind = yield* acceptedKind(name)
            const content = yield* download(file)
            return yield* saveFile(sandbox, userId, `${folder}/${file.id.replace(/\W/g, "")}-${name}`, {
              name,
              kind,
              content
            })
          })

        return ChatFiles.of({
          receive: Effect.fn("ChatFiles.receive")(function*(userId, { files, ts }) {
            const paths: Array<string> = []
            const leftOut: Array<{ readonly name: string; readonly reason: string }> = []
            for (const [index, file] of files.entries()) {
              const received = index >= maxFiles
                ? Either.left(`a message has at most ${maxFiles}`)
                : yield* Effect.either(receiveOne(userId, `team-chat/${ts.replace(/[^\d.]/g, "")}`, file))
              if (Either.isRight(received)) paths.push(received.right)
              else if (typeof received.left === "string") leftOut.push({ name: file.name, reason: received.left })
              else return yield* received.left
            }
            return { paths, leftOut }
          })
        })
      })
    )
}
