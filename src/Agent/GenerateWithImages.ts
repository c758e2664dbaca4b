import type { UserId } from "@troupe/domain/Ids"
import { imageNotice, type ImageReference, type Message, withoutImages } from "@troupe/domain/Message"
import type { Modelled } from "@troupe/domain/Step"
import { Effect } from "effect"
import { maxImageBytes, readImage } from "../File/Image.ts"
import type { Sandbox } from "../File/Sandbox.ts"
import type { ChosenModel, ModelError, ModelRequest, ModelResponse, SentMessage } from "../Model/Model.ts"

const maxImages = 10
const maxBytes = 12 * 1_024 * 1_024

export type ImageRequest = Omit<ModelRequest, "messages"> & { readonly messages: ReadonlyArray<Message> }

export interface ImageResponse extends ModelResponse {
  readonly sentImages: Pick<Modelled, "images" | "unseen">
}

type ImageFiles = Pick<Sandbox["Type"], "readBytes" | "stat">

/**
 * Calls the model with the images that the messages name. An image that can't be sent is replaced by a line with the reason.
 * A request that the provider refuses is repeated without images.
 */
export type GenerateWithImages = (
  model: ChosenModel,
  userId: UserId,
  request: ImageRequest
) => Effect.Effect<ImageResponse, ModelError>

export const makeGenerateWithImages = (sandbox: ImageFiles): GenerateWithImages => (model, userId, request) =>
  Effect.gen(function*() {
    const { count, images, messages } = yield* assembled(
      request.messages,
      (image) => loaded(model, sandbox, userId, image)
    )
    const sentImages = images.length === 0 ? {} : { images }
    return yield* model.generate({ ...request, messages }).pipe(
      Effect.map((response): ImageResponse => ({ ...response, sentImages })),
      Effect.catchIf(
        (error) => count > 0 && error._tag === "ModelRejected" && repeatable.has(error.status),
        () =>
          Effect.map(
            model.generate({ ...request, messages: withoutImages(request.messages) }),
            (response): ImageResponse => ({ ...response, sentImages: { unseen: true } })
          )
      )
    )
  })

const repeatable: ReadonlySet<number> = new Set([400, 413, 415, 422])

interface LoadedImage {
  readonly image: ImageReference
  readonly url: string
}

type Reader = (image: ImageReference) => Effect.Effect<LoadedImage | string>

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
      const imageUrls: Array<string> = []
      const notices: Array<string> = []
      for (const image of message.images.toReversed()) {
        const found = count === maxImages ? tooMany : yield* read(image)
        const size = typeof found === "string" ? 0 : found.image.size ?? 0
        if (typeof found === "string" || bytes + size > maxBytes) {
          notices.unshift(imageNotice(image.path, typeof found === "string" ? found : tooMany))
          continue
        }
        imageUrls.unshift(found.url)
        if (image.digest === null) first.push(found.image)
        count++
        bytes += size
      }
      newestFirst.push({ role: "user", content: [message.content, ...notices].join("\n"), imageUrls })
    }
    return { messages: newestFirst.toReversed(), images: first, count }
  })

const tooMany = "too many pictures for one request, so this older one is not shown. Read it again if it matters."
const blind = "this model can't see pictures of this kind. Ask the user to describe it if it matters."
const changed = "the file was changed since it was read, so it is not shown. Read it again if it matters."
const gone = "the file is no longer there."

const loaded = (
  model: ChosenModel,
  sandbox: ImageFiles,
  userId: UserId,
  image: ImageReference
): Effect.Effect<LoadedImage | string> =>
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
