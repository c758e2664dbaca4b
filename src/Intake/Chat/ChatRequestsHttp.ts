import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type { ChatAnswer, ChatEventAnswer } from "@troupe/api/ChatRequestsApi"
import { ProblemError } from "@troupe/api/Problem"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { ChatRequestInvalid, SignatureInvalid } from "@troupe/domain/TeamChat"
import { Clock, Duration, Effect, Option } from "effect"
import { type Envelope, type Incoming, orderingKeyOf, senderOf } from "../../Chat/ChatEvent.ts"
import { saying } from "../../Chat/ChatMessage.ts"
import { ChatPlatform, wholePost } from "../../Chat/ChatPlatform.ts"
import { IncomingRequest } from "../../Runtime/IncomingRequest.ts"
import { InboundQueue } from "../InboundQueue.ts"
import { makeChatActions, type Shown } from "./ChatActions.ts"
import { makeChatCommands } from "./ChatCommands.ts"
import { chatSource, storedEvent } from "./StoredEvents.ts"

/** The platform repeats an event that is not answered within 3 s. */
const answerTime = Duration.millis(2_500)

/** What the platform sends is far smaller. */
const maxBytes = 1024 * 1024

const taken = { ok: true } satisfies ChatEventAnswer
const forged = { ok: false, error: "invalid_signature" } satisfies ChatEventAnswer
const unreadable = { ok: false, error: "invalid_request" } satisfies ChatEventAnswer

type Request = HttpServerRequest.HttpServerRequest

/** The addresses for events, buttons and the slash command. */
export const ChatRequestsHttp = HttpApiBuilder.group(TroupeApi, "chatRequests", (handlers) =>
  Effect.gen(function*() {
    const platform = yield* ChatPlatform
    const queue = yield* InboundQueue

    /**
     * What the platform sent within the last minutes. Only refused requests count against the rate limit, because the
     * platform sends the requests of all people from few addresses.
     */
    const read = Effect.fnUntraced(function*(address: string, { headers }: Request) {
      // It fails with problems that every endpoint may answer.
      const body = yield* Effect.orDie((yield* IncomingRequest).body(maxBytes))
      const request = { address, headers, body }
      yield* Effect.catchAll(platform.verify(request, yield* Clock.currentTimeMillis), refused)
      return platform.decode(request)
    })

    const store = (address: string) => ({ event, id, ourselves, type }: Envelope) =>
      queue.accept({
        source: chatSource,
        type: type.slice(0, 128),
        deliveryId: id,
        orderingKey: orderingKeyOf(event),
        body: Buffer.from(storedEvent({ ourselves, event })),
        headers: {},
        contentType: "application/json",
        url: address,
        sourceIp: null,
        sender: senderOf(event),
        creator: null,
        isVerified: true
      })

    const press = yield* makeChatActions
    const runCommand = yield* makeChatCommands(store(commandAddress))

    const accept = (envelope: Envelope) =>
      store(eventAddress)(envelope).pipe(
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

    const answer = (request: Request) =>
      Effect.gen(function*() {
        const incoming = yield* read(eventAddress, request)
        switch (incoming._tag) {
          case "Verification":
            return { challenge: incoming.challenge }
          case "Event":
            return yield* Effect.as(accept(incoming), taken)
          case "Ignored":
            return yield* Effect.as(Effect.logDebug(`Ignored ${incoming.reason} of the team chat`), taken)
          default:
            return unreadable
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

    const shown = ({ isInPlace, message }: Shown): ChatAnswer => {
      const { controls, text } = wholePost(platform.render(message))
      return {
        response_type: "ephemeral",
        replace_original: isInPlace,
        text,
        ...(controls === undefined ? {} : { blocks: controls })
      }
    }

    const interaction = (incoming: Incoming) =>
      incoming._tag === "Pressed" ? Effect.map(press(incoming), shown) : invalid(incoming)

    const command = (incoming: Incoming) =>
      incoming._tag === "Event" && incoming.event._tag === "Command"
        ? Effect.map(runCommand(incoming, incoming.event), (said) =>
          shown({ message: saying(...said), isInPlace: false }))
        : invalid(incoming)

    return handlers
      .handleRaw("event", ({ request }) =>
        answer(request))
      .handleRaw("interaction", ({ request }) => Effect.flatMap(read("/team-chat/interactive", request), interaction))
      .handleRaw("command", ({ request }) => Effect.flatMap(read(commandAddress, request), command))
  }))

const eventAddress = "/team-chat/dm_response"
const commandAddress = "/team-chat/command"

const refused = (because: string) =>
  Effect.gen(function*() {
    yield* (yield* IncomingRequest).count
    yield* Effect.logWarning(`Refused a request to the team chat's endpoints: ${because}`)
    return yield* new SignatureInvalid({ reason: `The request was not made by the chat platform: ${because}.` })
  })

const invalid = (incoming: Incoming) =>
  new ChatRequestInvalid({ reason: "reason" in incoming ? incoming.reason : "It has another form than expected." })
