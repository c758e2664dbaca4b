import type { UserId } from "@troupe/domain/Ids"
import { type ImageReference, type Message, pictureNotice, withoutPictures } from "@troupe/domain/Message"
import type { Modelled } from "@troupe/domain/Step"
import { Effect } from "effect"
import { maxImageBytes, readImage } from "../File/Image.ts"
import type { Sandbox } from "../File/Sandbox.ts"
import type { Model, ModelError, ModelRequest, ModelResponse, SentMessage } from "../Model/Model.ts"

const maxPictures = 10
const maxBytes = 12 * 1_024 * 1_024

export type PictureRequest = Omit<ModelRequest, "messages"> & { readonly messages: ReadonlyArray<Message> }

export interface PictureResponse extends ModelResponse {
  readonly pictures: Pick<Modelled, "images" | "unseen">
}

/**
 * Calls the model with the pictures that the messages name. One that can't be sent is replaced by a line that says why.
 * A request that the provider refuses is repeated without pictures.
 */
export type GenerateWithPictures = (
  userId: UserId,
  request: PictureRequest
) => Effect.Effect<PictureResponse, ModelError>

export const makeGenerateWithPictures =
  (model: Model["Type"], sandbox: Sandbox["Type"]): GenerateWithPictures => (userId, request) =>
    Effect.gen(function*() {
      const { count, images, messages } = yield* assembled(
        request.messages,
        (image) => readPicture(model, sandbox, userId, image)
      )
      const pictures = images.length === 0 ? {} : { images }
      return yield* model.generate({ ...request, messages }).pipe(
        Effect.map((response): PictureResponse => ({ ...response, pictures })),
        Effect.catchIf(
          (error) => count > 0 && error._tag === "ModelRejected" && repeatable.has(error.status),
          () =>
            Effect.map(
              model.generate({ ...request, messages: withoutPictures(request.messages) }),
              (response): PictureResponse => ({ ...response, pictures: { unseen: true } })
            )
        )
      )
    })

const repeatable: ReadonlySet<number> = new Set([400, 413, 415, 422])

interface Picture {
  readonly image: ImageReference
  readonly url: string
}

type Reader = (image: ImageReference) => Effect.Effect<Picture | string>

const assembled = (messages: ReadonlyArray<Message>, read: Reader) =>
  Effect.gen(function*() {
    const newestFirst: Array<SentMessage> = []
    const first: Array<ImageReference> = []
    let count = 0
    let bytes = 0
    for (const message of messages.toReversed()) {
      if (message.role !== "user" || message.images === undefined) {
        newestFirst.push(message)
        continue
      }
      const pictures: Array<string> = []
      const notices: Array<string> = []
      for (const image of message.images.toReversed()) {
        const found = count === maxPictures ? tooMany : yield* read(image)
        const size = typeof found === "string" ? 0 : found.image.size ?? 0
        if (typeof found === "string" || bytes + size > maxBytes) {
          notices.unshift(pictureNotice(image.path, typeof found === "string" ? found : tooMany))
          continue
        }
        pictures.unshift(found.url)
        if (image.digest === null) first.push(found.image)
        count++
        bytes += size
      }
      newestFirst.push({ role: "user", content: [message.content, ...notices].join("\n"), pictures })
    }
    return { messages: newestFirst.toReversed(), images: first, count }
  })

const tooMany = "too many pictures for one request, so this older one is not shown. Read it again if it matters."
const blind = "this model can't see pictures of this kind. Ask the user to describe it if it matters."
const changed = "the file was changed since it was read, so it is not shown. Read it again if it matters."
const gone = "the file is no longer there."

const readPicture = (
  model: Model["Type"],
  sandbox: Sandbox["Type"],
  userId: UserId,
  image: ImageReference
): Effect.Effect<Picture | string> =>
  Effect.gen(function*() {
    if (!model.sees(image.media_type)) return blind
    const { size } = yield* sandbox.stat(userId, image.path)
    if (image.digest !== null && image.size !== size) return changed
    if (size > maxImageBytes) return `it has ${size} bytes; at most ${maxImageBytes} are shown.`
    const { bytes, digest, mediaType } = yield* readImage(sandbox, userId, image.path)
    if (image.digest !== null && image.digest !== digest) return changed
    return {
      image: { path: image.path, media_type: mediaType, size: bytes.length, digest },
      url: `data:${mediaType};base64,${Buffer.from(bytes).toString("base64")}`
    }
  }).pipe(
    Effect.catchTags({
      SandboxRefused: ({ kind, reason }) => Effect.succeed(kind === "missing" ? gone : `${reason}.`),
      DocumentUnreadable: ({ reason }) => Effect.succeed(reason)
    })
  )
