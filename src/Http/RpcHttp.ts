import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as Rpc from "@effect/rpc/Rpc"
import type * as RpcGroup from "@effect/rpc/RpcGroup"
import type { FromClientEncoded } from "@effect/rpc/RpcMessage"
import * as RpcSchema from "@effect/rpc/RpcSchema"
import * as RpcSerialization from "@effect/rpc/RpcSerialization"
import * as RpcServer from "@effect/rpc/RpcServer"
import { Authentication } from "@troupe/api/Authentication"
import { ProblemError } from "@troupe/api/Problem"
import { type RpcGate, rpcPath, TroupeRpcs } from "@troupe/api/TroupeRpcs"
import { Context, Effect, Either, Layer, ParseResult, Schema } from "effect"
import { Identity } from "../People/SignIn/Identity.ts"
import { unstorableText } from "../Runtime/Database/StorableText.ts"
import { isTooDeep, jsonLines, tooDeep } from "./Body.ts"
import { countCall } from "./Callers.ts"
import { invalid, invalidInput } from "./ProblemResponse.ts"

/** A caller that takes nothing of its answers for so long is disconnected, because they collect in memory. */
export class PostLimits extends Context.Reference<PostLimits>()("troupe/Http/RpcHttp/PostLimits", {
  defaultValue: () => ({ stallMillis: 60_000 })
}) {}

/** A refusal as the endpoints encode it. */
const refusalOf = Schema.encode(Authentication.failure)

/** Remote procedures over POST with JSON lines, refused before anything is read. */
export const layer: Layer.Layer<never, never, Identity | RpcGate | Rpc.ToHandler<RpcGroup.Rpcs<typeof TroupeRpcs>>> =
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function*() {
      const { authenticate } = yield* Identity
      const { stallMillis } = yield* PostLimits
      const posted = yield* RpcServer.toHttpApp(TroupeRpcs, { disableTracing: true })

      const signedIn = (request: HttpServerRequest.HttpServerRequest) =>
        Effect.catchAll(Effect.tap(authenticate(request), countCall), (error) =>
          Effect.flatMap(Effect.orDie(refusalOf(error)), (problem) => new ProblemError(problem)))

      yield* router.post(
        rpcPath,
        Effect.gen(function*() {
          const request = yield* HttpServerRequest.HttpServerRequest
          yield* signedIn(request)
          const text = yield* jsonLines(request)
          const messages = yield* readMessages(text)
          yield* checkCount(messages)
          yield* checkPayloads(messages)
          const lines = messages.map((message) =>
            `${JSON.stringify(message)}\n`
          ).join("")
          const read = Object.create(request, { text: { value: Effect.succeed(lines) } })
          const answer = yield* Effect.provideService(posted, HttpServerRequest.HttpServerRequest, read)
          // Heartbeats are written every 15 s to a caller that reads.
          const response = NodeHttpServerRequest.toServerResponse(request)
          response.setTimeout(stallMillis, () => response.destroy())
          return answer
        })
      )
    })
  ).pipe(Layer.provide(RpcSerialization.layerNdjson))

const number = Schema.String.pipe(Schema.pattern(/^\d{1,18}$/))

/** All messages have the caller of the request, so their own headers are not read. */
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
const readMessages = (text: string): Either.Either<ReadonlyArray<FromClientEncoded>, ProblemError> =>
  Either.all(text.split("\n").filter((line) => line.trim() !== "").map(readLine))

/** Calls in one POST. */
const maxPosted = 8

/** Refuses a POST of many calls, because their answers wait in memory until the caller reads them. */
const checkCount = (messages: ReadonlyArray<FromClientEncoded>): Either.Either<void, ProblemError> => {
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
const checkPayloads = (messages: ReadonlyArray<FromClientEncoded>): Effect.Effect<void, ProblemError> =>
  Effect.forEach(messages, (message) => {
    const procedure = message._tag === "Request" ? TroupeRpcs.requests.get(message.tag) : undefined
    if (message._tag !== "Request" || procedure === undefined) return Effect.void
    const check: Schema.Schema.AnyNoContext = procedure.payloadSchema
    return Effect.mapError(
      Schema.decodeUnknown(check, { errors: "all" })(message.payload),
      (error) => invalidInput(ParseResult.ArrayFormatter.formatErrorSync(error))
    )
  }, { discard: true })
