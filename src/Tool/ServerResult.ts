import { excerptChars, headOf } from "@troupe/domain/Text"
import { Effect, Either, Option, Predicate, Schema } from "effect"
import { createHash } from "node:crypto"
import { imageExtensionOf } from "../File/Documents/DocumentKind.ts"
import { maxWriteBytes, type Sandbox } from "../File/Sandbox.ts"
import { type ToolContext, ToolFailed } from "./AgentTool.ts"

const maxParts = 100
const maxImages = 10

const text = Schema.String
const Part = Schema.Union(
  Schema.Struct({ type: Schema.Literal("text"), text }),
  Schema.Struct({ type: Schema.Literal("image", "audio"), data: text, mimeType: text }),
  Schema.Struct({
    type: Schema.Literal("resource_link"),
    uri: text,
    name: Schema.optional(Schema.Unknown),
    description: Schema.optional(Schema.Unknown)
  }),
  Schema.Struct({
    type: Schema.Literal("resource"),
    resource: Schema.Struct({
      uri: text,
      mimeType: Schema.optional(Schema.Unknown),
      text: Schema.optional(text),
      blob: Schema.optional(text)
    })
  })
)
type Part = typeof Part.Type
const decode = Schema.decodeUnknownOption(Part)

/** The result of a server's tool as text. Images are saved as files of the user; other binary content is mentioned. */
export const answerOf = (
  result: Readonly<Record<string, unknown>>,
  sandbox: Sandbox["Type"],
  context: ToolContext
): Effect.Effect<string, ToolFailed> =>
  Effect.gen(function*() {
    const given = Array.isArray(result["content"]) ? result["content"] : []
    const parts = given.slice(0, maxParts).flatMap((part): ReadonlyArray<Part> => Option.toArray(decode(part)))
    const texts: Array<string> = []
    let images = 0
    for (const part of parts) {
      const image = imageOf(part)
      if (image === null) texts.push(wordsOf(part))
      else texts.push(yield* saved(image, images++, sandbox, context))
    }
    if (given.length > maxParts) texts.push(`[${given.length - maxParts} more parts are left out.]`)
    const structured = result["structuredContent"]
    const hasText = parts.some(({ type }) => type === "text")
    if (!hasText && structured !== undefined) texts.push(jsonOf(structured))
    const content = texts.join("\n")
    if (result["isError"] === true) {
      return yield* new ToolFailed({
        reason: content.trim() === "" ? "the tool failed without a reason." : content
      })
    }
    return content.trim() === "" ? "Done; the tool returned nothing." : content
  })

/** No more than this can be shown; the toolbox cuts the rest. */
const jsonOf = (value: unknown): string =>
  Either.match(Either.try(() => JSON.stringify(value, null, 1)), {
    onLeft: () => "[The answer is nested too deep to be shown.]",
    onRight: (json) => json.length > 100 * excerptChars ? headOf(json, 100 * excerptChars) : json
  })

interface ServerImage {
  readonly data: string
  readonly extension: string
}

const imageOf = (part: Part): ServerImage | null => {
  if (part.type === "image") return toImage(part.data, part.mimeType)
  if (part.type !== "resource" || part.resource.blob === undefined) return null
  return toImage(part.resource.blob, Predicate.isString(part.resource.mimeType) ? part.resource.mimeType : "")
}

const toImage = (data: string, mimeType: string): ServerImage | null => {
  const extension = imageExtensionOf(mimeType)
  return extension === undefined ? null : { data, extension }
}

const saved = (
  { data, extension }: ServerImage,
  index: number,
  sandbox: Sandbox["Type"],
  { callId, taskId, userId }: ToolContext
): Effect.Effect<string> => {
  if (index >= maxImages) return Effect.succeed(`[A picture is left out: at most ${maxImages} are taken.]`)
  const bytes = Buffer.from(data, "base64")
  if (bytes.length === 0 || bytes.length > maxWriteBytes) {
    return Effect.succeed(`[A picture of ${bytes.length} bytes is left out.]`)
  }
  const call = createHash("sha256").update(`${taskId} ${callId}`).digest("hex").slice(0, 12)
  const path = `tool-results/${call}-${index + 1}.${extension}`
  return Effect.match(sandbox.write(userId, path, bytes), {
    onFailure: ({ message }) => `[A picture of ${bytes.length} bytes could not be saved: ${message}]`,
    onSuccess: (file) => `[A picture of ${file.size} bytes, saved as ${file.path}. Look at it with read_document.]`
  })
}

const wordsOf = (part: Part): string => {
  switch (part.type) {
    case "text":
      return part.text
    case "image":
    case "audio":
      return `[${part.type} (${part.mimeType.slice(0, 100)}) of about ${
        bytesOf(part.data)
      } bytes, which can't be shown.]`
    case "resource_link":
      return `[Link: ${part.uri}${named(part.name)}${named(part.description)}]`
    case "resource": {
      const { blob, text, uri } = part.resource
      return text === undefined
        ? `[${uri}: about ${bytesOf(blob ?? "")} bytes, which can't be shown.]`
        : `${uri}:\n${text}`
    }
  }
}

const bytesOf = (base64: string): number => Math.floor(base64.length * 0.75)

const named = (value: unknown): string => (Predicate.isString(value) && value !== "" ? `, ${value.slice(0, 500)}` : "")
