import type { UserId } from "@troupe/domain/Ids"
import { Context, Effect, Layer, Stream } from "effect"
import { Sandbox } from "../../File/Sandbox.ts"
import { type ChatFailed, ChatPlatform } from "../../Wire/ChatPlatform.ts"
import { type IncomingFile, type ReceivedFiles, receiveFiles } from "../ReceivedFiles.ts"
import type { SentFile } from "./ChatEvent.ts"

const maxFiles = 10

export class ChatFiles extends Context.Tag("troupe/Intake/Chat/ChatFiles")<ChatFiles, {
  /** Downloads files to a folder of the message. */
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

        const incoming = (folder: string) => (file: SentFile, index: number): IncomingFile<ChatFailed> => ({
          name: file.name,
          pathOf: (name) => `${folder}/${file.id.replace(/\W/g, "")}-${name}`,
          content: index < maxFiles ? download(file) : Effect.fail(`a message has at most ${maxFiles}`)
        })

        return ChatFiles.of({
          receive: Effect.fn("ChatFiles.receive")((userId, { files, ts }) =>
            receiveFiles(sandbox, userId, files.map(incoming(`team-chat/${ts.replace(/[^\d.]/g, "")}`)))
          )
        })
      })
    )
}
