import type { FromClientEncoded } from "@effect/rpc/RpcMessage"
import * as RpcSchema from "@effect/rpc/RpcSchema"
import { ProblemError } from "@troupe/api/Problem"
import { TroupeRpcs } from "@troupe/api/TroupeRpcs"
import { Effect, Either, ParseResult, Schema } from "effect"
import { unstorableText } from "../Runtime/Database/StorableText.ts"
import { isTooDeep, tooDeep } from "./Body.ts"
import { invalid, invalidInput } from "./ProblemResponse.ts"

const number = Schema.String.pipe(Schema.pattern(/^\d{1,18}$/))

/** The caller is that of the request, so the headers of single messages are not read. */
const Message = Schema.Union(
  Schema.Struct({
    _tag: Schema.Literal("Request"),
    id: number,
    tag: Schema.String,
    payload: Schema.optional(Schema.Unknown)
  }),
  Schema.Struct({ _tag: Schema.Literal("Ack", "Interrupt"), requestId: number }),
  Schema.Struct({ _tag: Schema.Literal("Ping") })
)

const parseJson = Schema.decodeUnknownEither(Schema.parseJson())
const decode = Schema.decodeUnknownEither(Message)

const notAMessage = invalid(
  "not a message: send {\"_tag\": \"Request\", \"id\": \"1\", \"tag\": \"<procedure>\", \"payload\": {}}, with an id of 1 to 18 digits"
)

const unknownProcedure = invalid(`one of ${[...TroupeRpcs.requests.keys()].join(", ")}`, "tag")

const readLine = (line: string): Either.Either<FromClientEncoded, ProblemError> => {
  if (isTooDeep(line)) return Either.left(tooDeep)
  const read = Either.flatMap(parseJson(line), decode)
  if (Either.isLeft(read)) return Either.left(notAMessage)
  const message = read.right
  if (message._tag !== "Request") return Either.right(message)
  if (!TroupeRpcs.requests.has(message.tag)) return Either.left(unknownProcedure)
  const bad = line.includes("\\u") ? unstorableText(message.payload) : []
  return bad.length > 0
    ? Either.left(ProblemError.invalid(bad))
    : Either.right({ payload: {}, ...message, headers: [] })
}

/** The messages of complete JSON lines. */
export const readMessages = (text: string): Either.Either<ReadonlyArray<FromClientEncoded>, ProblemError> =>
  Either.all(text.split("\n").filter((line) => line.trim() !== "").map(readLine))

/** Calls in one POST. */
const maxPosted = 8

/** Refuses a POST of many calls, because their answers wait in memory until the caller reads them. */
export const checkCount = (messages: ReadonlyArray<FromClientEncoded>): Either.Either<void, ProblemError> => {
  const calls = messages.flatMap((message) => message._tag === "Request" ? [message.tag] : [])
  if (calls.length > maxPosted) {
    return Either.left(invalid(`at most ${maxPosted} calls: send the others in further requests`))
  }
  const streams = calls.filter((tag) =>
    RpcSchema.isStreamSchema(TroupeRpcs.requests.get(tag)?.successSchema ?? Schema.Void)
  )
  return streams.length > 1
    ? Either.left(invalid("at most one call of a stream: send the others in further requests"))
    : Either.right(undefined)
}

/** Payloads that don't fit their procedures are answered as by the endpoints. */
export const checkPayloads = (messages: ReadonlyArray<FromClientEncoded>): Effect.Effect<void, ProblemError> =>
  Effect.forEach(messages, (message) => {
    const procedure = message._tag === "Request" ? TroupeRpcs.requests.get(message.tag) : undefined
    if (message._tag !== "Request" || procedure === undefined) return Effect.void
    const check: Schema.Schema.AnyNoContext = procedure.payloadSchema
    return Effect.mapError(
      Schema.decodeUnknown(check, { errors: "all" })(message.payload),
      (error) => invalidInput(ParseResult.ArrayFormatter.formatErrorSync(error))
    )
  }, { discard: true })
