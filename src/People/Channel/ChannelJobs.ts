import type { SyncReport } from "@troupe/domain/Channel"
import { plural } from "@troupe/domain/Text"
import { Cause, type Duration, Effect, Layer, Schedule } from "effect"
import { ChatPlatform } from "../../Chat/ChatPlatform.ts"
import type { Model } from "../../Model/Model.ts"
import { ScheduledJobs } from "../../Runtime/Cluster/ScheduledJobs.ts"
import type { ChannelMessages } from "./ChannelMessages.ts"
import { makeRefreshSummaries } from "./ChannelSummaries.ts"
import { ChannelSync } from "./ChannelSync.ts"

export const layer: Layer.Layer<never, never, ChannelMessages | ChannelSync | ChatPlatform | Model | ScheduledJobs> =
  Layer
    .scopedDiscard(Effect.gen(function*() {
      const jobs = yield* ScheduledJobs
      const { directory } = yield* ChatPlatform
      const { syncAll } = yield* ChannelSync
      const refresh = yield* makeRefreshSummaries
      if (directory === null) return
      yield* jobs.start({
        name: "channel_sync",
        scope: "cluster",
        schedule: every("1 hour", "5 minutes"),
        run: Effect.flatMap(syncAll, incomplete)
      })
      yield* jobs.start({
        name: "channel_summaries",
        scope: "cluster",
        schedule: every("1 minute", "10 minutes"),
        run: refresh
      })
    }))

const every = (interval: Duration.DurationInput, afterFailure: Duration.DurationInput) =>
  Schedule.addDelay(Schedule.identity<number>(), (failures) => failures === 0 ? interval : afterFailure)

const incomplete = ({ errors: [first, ...more] }: SyncReport) =>
  first === undefined ? Effect.void : new Cause.RuntimeException(
    `${plural(more.length + 1, "part")} of the chat platform could not be synced, the first is `
      + `${first.path}: ${first.message}`
  )
