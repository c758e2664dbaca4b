import { Layer } from "effect"
import { InboundConsumer } from "../Intake/InboundConsumer.ts"
import { InboundRepo } from "../Intake/InboundRepo.ts"
import { WebhookHandler } from "../Intake/WebhookHandler.ts"

/** Processes what comes in by itself: the handlers of the inbound queue, and jobs that look for work. */
export const layer = WebhookHandler.pipe(
  Layer.provide(InboundConsumer.layer()),
  Layer.provide(InboundRepo.layer)
)
