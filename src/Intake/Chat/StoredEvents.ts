import { Option, Schema } from "effect"
import { ReceivedEvent } from "../../Chat/ChatEvent.ts"
import type { ChatPlatform } from "../../Chat/ChatPlatform.ts"
import { type InboundMessage, InboundSource } from "../InboundMessage.ts"

/** The events of the team chat in the queue. */
export const chatSource = InboundSource.make("chat")

const Stored = Schema.parseJson(ReceivedEvent)
const decode = Schema.decodeOption(Stored)

export const storedEvent: (event: ReceivedEvent) => string = Schema.encodeSync(Stored)

/** Earlier versions have stored requests as the platform sent them. None: it is no event. */
export const eventIn = (
  { body, url }: Pick<InboundMessage, "body" | "url">,
  platform: Pick<ChatPlatform["Type"], "decode">
): Option.Option<ReceivedEvent> =>
  Option.orElse(decode(Buffer.from(body).toString("utf8")), () => {
    const incoming = platform.decode({ address: url, headers: {}, body })
    return incoming._tag === "Event" ? Option.some(incoming) : Option.none()
  })
