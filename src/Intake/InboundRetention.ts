import { type Duration, Effect, Layer, Schedule } from "effect"
import { ScheduledJobs } from "../Runtime/ScheduledJobs.ts"
import { WebhookRepo } from "./Webhook/WebhookRepo.ts"

const batch = 1_000

/** Deletes messages that were finished before `retention`, every hour on one worker. */
export const layer = (
  { retention }: { readonly retention: Duration.Duration }
): Layer.Layer<never, never, ScheduledJobs | WebhookRepo> =>
  Layer.scopedDiscard(
    Effect.flatMap(Effect.all([ScheduledJobs, WebhookRepo]), ([jobs, { purge }]) =>
      jobs.start({
        name: "inbound_retention",
        scope: "cluster",
        schedule: Schedule.spaced("1 hour"),
        run: Effect.repeat(purge(retention), { while: (deleted) => deleted === batch })
      }))
  )
