import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type { ChatEventAnswer } from "@troupe/api/ChatRequestsApi"
import { ProblemError } from "@troupe/api/Problem"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Duration, Effect, Option, type Redacted } from "effect"
import { createHash } from "node:crypto"
import { InboundQueue } from "../InboundQueue.ts"
import { makeChatActions } from "./ChatActions.ts"
import { makeChatCommands } from "./ChatCommands.ts"
import { chatSource, type Envelope, eventRequestOf, orderingKeyOf, senderOf } from "./ChatEvent.ts"
import { makeReadSigned, signatureOf } from "./ChatSignature.ts"

/** The platform repeats an event that is not answered within 3 s. */
const answerTime = Duration.millis(2_500)

const taken = { ok: true } satisfies ChatEventAnswer
const forged = { ok: false, error: "invalid_signature" } satisfies ChatEventAnswer
const unreadable = { ok: false, error: "invalid_request" } satisfies ChatEventAnswer

/** The addresses for events, buttons and the slash command. */
export const ChatRequestsHttp = (options: { readonly signingSecret: Option.Option<Redacted.Redacted> }) =>
  HttpApiBuilder.group(TroupeApi, "chatRequests", (handlers) =>
    Effect.gen(function*() {
      const read = makeReadSigned(options.signingSecret)
      const queue = yield* InboundQueue
      const press = yield* makeChatActions
      const runCommand = yield* makeChatCommands

      const accept = (envelope: Envelope, body: Uint8Array) =>
        envelope.event._tag === "Ignored"
          ? Effect.logDebug(`Ignored ${envelope.event.reason} of the team chat`)
          : queue.accept({
            source: chatSource,
            type: envelope.type.slice(0, 128),
            deliveryId: envelope.id ?? createHash("sha256").update(body).digest("hex"),
            orderingKey: orderingKeyOf(envelope.event),
            body,
            headers: {},
            contentType: "application/json",
            url: "/team-chat/dm_response",
            sourceIp: null,
            sender: senderOf(envelope.event),
            creator: null,
            isVerified: true
          }).pipe(
            // The platform sends it again; the statement may have been committed by then, and is not repeated.
            Effect.disconnect,
            Effect.timeout(answerTime),
            Effect.catchAllCause((cause) =>
              Effect.zipRight(
                Effect.logWarning(
                  "An event of the team chat was not stored; the platform is asked to send it again",
                  cause
                ),
                Effect.die(ProblemError.of("unavailable", "The event could not be stored. Send it again."))
              )
            )
          )

      const answer = (request: HttpServerRequest.HttpServerRequest) =>
        Effect.gen(function*() {
          const body = yield* read(request)
          const found = eventRequestOf(body)
          switch (found._tag) {
            case "Verification":
              return { challenge: found.challenge }
            case "Unreadable":
              return unreadable
            case "Event":
              return yield* Effect.as(accept(found, body), taken)
          }
        }).pipe(
          Effect.catchTag("SignatureInvalid", () => Effect.succeed(forged)),
          // Such as a body that is too large; but an event that could not be stored is sent again.
          Effect.catchSomeDefect((defect) =>
            Option.map(
              Option.liftPredicate(defect, (one) => one instanceof ProblemError && one.status < 500),
              () => Effect.succeed(unreadable)
            )
          )
        )

      const form = (request: HttpServerRequest.HttpServerRequest) =>
        Effect.map(read(request), (body) => Buffer.from(body).toString("utf8"))

      return handlers
        .handleRaw("event", ({ request }) => answer(request))
        .handleRaw("interaction", ({ request }) => Effect.flatMap(form(request), press))
        .handleRaw("command", ({ request }) =>
          Effect.flatMap(form(request), (text) => runCommand(text, deliveryIdOf(text, request))))
    }))

/** A command that is sent again has the same one, also where the platform gives it none. */
const deliveryIdOf = (form: string, { headers }: HttpServerRequest.HttpServerRequest): string =>
  createHash("sha256").update(
    new URLSearchParams(form).get("trigger_id") ?? signatureOf(headers).signature ?? form
  ).digest("hex")
