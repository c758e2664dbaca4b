import { Effect, Option, Predicate } from "effect"
import { createHash } from "node:crypto"
import { isDeepStrictEqual } from "node:util"
import { maxWriteBytes, type Sandbox } from "../File/Sandbox.ts"
import { type ToolContext, ToolFailed } from "./AgentTool.ts"
import { jsonIn, jsonOf, jsonText, type ResultImage, type ResultPart, resultPartOf } from "./ResultPart.ts"

const maxParts = 1_000
const maxImages = 10

/** Fields of a result that are no content. */
const about = new Set([
  "_meta",
  "content",
  "isError",
  "is_error",
  "resultType",
  "structuredContent",
  "structured_content"
])

/**
 * The result of a server's tool as text, whatever its form: the parts of its content, then its structured content unless
 * a text already says the same. What is not of the protocol is shown as JSON. Images are saved as files of the user;
 * other binary content is mentioned.
 */
export const answerOf = (
  result: Readonly<Record<string, unknown>>,
  sandbox: Sandbox["Type"],
  context: ToolContext
): Effect.Effect<string, ToolFailed> => textOf(result, (image, index) => saved(image, index, sandbox, context))

/** The same, with each picture as `ofImage` says. */
export const textOf = (
  result: Readonly<Record<string, unknown>>,
  ofImage: (image: ResultImage, index: number) => Effect.Effect<string>
): Effect.Effect<string, ToolFailed> =>
  Effect.gen(function*() {
    const given = partsIn(result["content"])
    const parts = given.slice(0, maxParts).map(resultPartOf)
    const texts: Array<string> = []
    let images = 0
    for (const part of parts) {
      if (part.image === null) texts.push(part.words)
      else texts.push(yield* ofImage(part.image, images++))
    }
    if (given.length > maxParts) texts.push(`[${given.length - maxParts} more parts are left out.]`)
    const structured = structuredIn(result)
    if (!isSaid(structured, parts)) texts.push(jsonOf(structured))
    const flag = result["isError"] ?? result["is_error"]
    texts.push(...otherFields(result, parts))
    if (isFailure(flag)) {
      const reason = [...reasonIn(flag), ...texts].filter(isText).join("\n")
      return yield* new ToolFailed({ reason: reason === "" ? "the tool failed without a reason." : reason })
    }
    const content = texts.join("\n")
    return isText(content) ? content : "Done; the tool returned nothing."
  })

export const structuredIn = (result: Readonly<Record<string, unknown>>): unknown =>
  result["structuredContent"] ?? result["structured_content"]

const isText = (text: string): boolean => text.trim() !== ""

/** A list of parts, although some servers send one part, or its text, without the list. */
const partsIn = (content: unknown): ReadonlyArray<unknown> =>
  (Array.isArray(content) ? content : [content]).filter(Predicate.isNotNullable)

const textsIn = (parts: ReadonlyArray<ResultPart>): ReadonlyArray<string> =>
  parts.flatMap(({ text }) => text === null ? [] : [text])

/** What a result has beside or in place of content, such as the `toolResult` of the first version of the protocol. */
const otherFields = (
  result: Readonly<Record<string, unknown>>,
  parts: ReadonlyArray<ResultPart>
): ReadonlyArray<string> => {
  const said = textsIn(parts)
  const others = Object.entries(result).filter(([name, value]) =>
    !about.has(name) && Predicate.isNotNullable(value) && !isRepeated(value, said)
  )
  const [first] = others
  if (first === undefined) return []
  return [others.length === 1 && first[0] === "toolResult" ? jsonOf(first[1]) : jsonOf(Object.fromEntries(others))]
}

/** Servers are told to repeat their structured content as a text; some wrap what is no object as `{"result": ...}`. */
const isSaid = (structured: unknown, parts: ReadonlyArray<ResultPart>): boolean => {
  if (Predicate.isNullable(structured)) return true
  const texts = textsIn(parts)
  if (Predicate.isRecord(structured)) {
    const [name, ...others] = Object.keys(structured)
    if (name === undefined) return parts.length > 0
    if (name === "result" && others.length === 0 && isRepeated(structured[name], texts)) return true
  }
  return isRepeated(structured, texts)
}

/** One text repeats the value, or each text one item of the list. */
const isRepeated = (value: unknown, texts: ReadonlyArray<string>): boolean =>
  texts.some(saying(value)) || (
    Array.isArray(value) && value.length > 0 && value.length === texts.length
    && texts.every((text, index) => saying(value[index])(text))
  )

/** Shorter JSON may be part of a text by chance. */
const minWithin = 20

/** Whether a text is the value, its JSON, or has its JSON in it. The value's JSON is made once for all texts. */
const saying = (value: unknown): (text: string) => boolean => {
  const forms = Predicate.isObject(value) ? [0, 2].map((indent) => jsonText(value, indent)) : []
  return (text) =>
    value === text || Option.exists(jsonIn(text), (said) => isDeepStrictEqual(said, value))
    || forms.some((json) => json.length >= minWithin && json.length <= text.length && text.includes(json))
}

/** `true`, or what servers send for it: "true", 1, or the error itself. */
const isFailure = (flag: unknown): boolean =>
  Predicate.isString(flag) ? !/^(?:|false|no|0|null)$/i.test(flag.trim()) : Boolean(flag)

const reasonIn = (flag: unknown): ReadonlyArray<string> =>
  (Predicate.isString(flag) && !/^(?:true|yes|1)$/i.test(flag.trim())) || Predicate.isObject(flag) ? [jsonOf(flag)] : []

const saved = (
  { base64, extension, mediaType }: ResultImage,
  index: number,
  sandbox: Sandbox["Type"],
  { callId, taskId, userId }: ToolContext
): Effect.Effect<string> => {
  if (index >= maxImages) return Effect.succeed(`[A picture is left out: at most ${maxImages} are taken.]`)
  const bytes = Buffer.from(base64, "base64")
  if (bytes.length === 0) return Effect.succeed(`[A picture (${mediaType}) without data is left out.]`)
  if (bytes.length > maxWriteBytes) {
    return Effect.succeed(
      `[A picture (${mediaType}) of ${bytes.length} bytes is left out: at most ${maxWriteBytes} are taken.]`
    )
  }
  const call = createHash("sha256").update(`${taskId} ${callId}`).digest("hex").slice(0, 12)
  const path = `tool-results/${call}-${index + 1}.${extension}`
  return Effect.match(sandbox.write(userId, path, bytes), {
    onFailure: ({ message }) => `[A picture of ${bytes.length} bytes could not be saved: ${message}]`,
    onSuccess: (file) => `[A picture of ${file.size} bytes, saved as ${file.path}. Look at it with read_document.]`
  })
}
