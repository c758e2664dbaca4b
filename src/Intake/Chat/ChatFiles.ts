import type { UserId } from "@troupe/domain/Ids"
import { Effect, Stream } from "effect"
import { Sandbox } from "../../File/Sandbox.ts"
import { type ChatFailed, ChatPlatform } from "../../Wire/ChatPlatform.ts"
import { type ReceivedFile, receiveFiles } from "../ReceivedFiles.ts"
import type { MessageEvent, SentFile } from "./ChatEvent.ts"

const maxFiles = 10

/** Downloads the files of a message, each of at most `maxBytes`, to a folder of that message. */
export const makeReceiveFiles = (maxBytes: number) =>
  Effect.zipWith(ChatPlatform, Sandbox, (platform, sandbox) => {
    const download = ({ downloadUrl, size }: SentFile) =>
      size > maxBytes
        ? Effect.fail(`it has more than ${maxBytes} bytes`)
        : platform.downloadFile(downloadUrl, maxBytes).pipe(
          Stream.runCollect,
          Effect.map((chunks) => Buffer.concat([...chunks])),
          // The platform would refuse it again.
          Effect.catchAll((failed) => Effect.fail(failed.kind === "refused" ? failed.reason : failed))
        )

    const incoming = (folder: string) => (file: SentFile, index: number): ReceivedFile<ChatFailed> => ({
      name: file.name,
      pathOf: (name) => `${folder}/${file.id.replace(/\W/g, "")}-${name}`,
      content: index < maxFiles ? download(file) : Effect.fail(`a message has at most ${maxFiles}`)
    })

    return Effect.fn("ChatFiles.receive")((userId: UserId, { files, ts }: MessageEvent) =>
      receiveFiles(sandbox, userId, files.map(incoming(`team-chat/${ts.replace(/[^\d.]/g, "")}`)))
    )
  })
