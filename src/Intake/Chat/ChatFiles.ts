import type { UserId } from "@troupe/domain/Ids"
import { Effect } from "effect"
import type { ChatFile } from "../../Chat/ChatContent.ts"
import type { MessageEvent } from "../../Chat/ChatEvent.ts"
import { type ChatFailed, ChatPlatform, isUnauthorized } from "../../Chat/ChatPlatform.ts"
import { extensionFor, extensionOf } from "../../File/Documents/DocumentKind.ts"
import { Sandbox } from "../../File/Sandbox.ts"
import { type ReceivedFile, receiveFiles } from "../ReceivedFiles.ts"
import { filesIn } from "./MessageContent.ts"

const maxFiles = 10

/** Downloads the files of a message, each of at most `limit` bytes, to a folder of that message. */
export const makeChatFiles = (limit: () => number) =>
  Effect.zipWith(ChatPlatform, Sandbox, (platform, sandbox) => {
    /** With what the message does not say of it. */
    const described = (file: ChatFile): Effect.Effect<ChatFile, ChatFailed> =>
      isDescribed(file)
        ? Effect.succeed(file)
        : platform.describeFile(file.id).pipe(
          Effect.map((info) => ({ ...info, name: info.name ?? file.name })),
          Effect.catchIf(isFinal, ({ reason }) => Effect.succeed({ ...file, unavailable: reason }))
        )

    const content = (file: ChatFile) => {
      const maxBytes = limit()
      return file.size !== null && file.size > maxBytes
        ? Effect.fail(`it has more than ${maxBytes} bytes`)
        : Effect.mapError(platform.receiveFile(file, maxBytes), (failed) => isFinal(failed) ? failed.reason : failed)
    }

    const incoming = (folder: string) => (file: ChatFile): ReceivedFile<ChatFailed> => ({
      name: nameOf(file),
      pathOf: (name) => `${folder}/${file.id.replace(/\W/g, "")}-${name}`,
      unavailable: file.unavailable ?? (file.downloadUrl === null ? "the chat platform gives no address for it" : null),
      content: content(file)
    })

    return Effect.fn("ChatFiles.receive")(function*(userId: UserId, message: MessageEvent) {
      const files = yield* Effect.forEach(
        filesIn(message),
        (file, at) => at < maxFiles ? described(file) : Effect.succeed({ ...file, unavailable: tooMany })
      )
      return yield* receiveFiles(
        sandbox,
        userId,
        files.map(incoming(`team-chat/${message.id.replace(/^\.+|[^\w.-]/g, "")}`))
      )
    })
  })

const tooMany = `a message has at most ${maxFiles}`

const isDescribed = ({ downloadUrl, id, name, size, unavailable }: ChatFile): boolean =>
  unavailable !== null || id === "" || (name !== null && size !== null && downloadUrl !== null)

/** The platform would refuse it again. A token that it does not accept is replaced. */
const isFinal = (failed: ChatFailed): boolean => failed.kind === "refused" && !isUnauthorized(failed)

/** A name without an extension gets the one of the content. */
const nameOf = ({ contentType, id, name }: ChatFile): string => {
  const given = name?.trim() || `file ${id}`.trim()
  const extension = extensionFor(contentType ?? "")
  return extensionOf(given) !== "" || extension === undefined ? given : `${given}.${extension}`
}
