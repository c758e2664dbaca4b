import { defaultUser } from "@troupe/domain/Ids"
import { subagentLimits } from "@troupe/domain/Limits"
import { Duration, Effect, Layer, Option, Stream } from "effect"
import type { LoopSettings } from "../Agent/AgentDependencies.ts"
import { AgentLoop } from "../Agent/AgentLoop.ts"
import { IntentPreprocessing } from "../Agent/IntentPreprocessing.ts"
import { PromptContext } from "../Agent/PromptContext.ts"
import { Outbox } from "../Delivery/Outbox.ts"
import { Reminders } from "../Delivery/Reminders.ts"
import { UserRepo } from "../People/User/UserRepo.ts"
import { Directory } from "../People/User/Users.ts"
import * as NotificationsJob from "../Runtime/Cluster/NotificationsJob.ts"
import type { Settings } from "../Runtime/Settings/Settings.ts"
import { StoredSettings } from "../Runtime/Settings/StoredSettings.ts"
import type { ActorSettings } from "../Task/Actor/ActorState.ts"
import { TaskActors } from "../Task/Actor/TaskActors.ts"
import { Waker } from "../Task/Actor/Waker.ts"
import { Claims } from "../Task/Claim/Claims.ts"
import { FirstClaims } from "../Task/Claim/FirstClaims.ts"
import * as ApprovalReminders from "../Task/Command/ApprovalReminders.ts"
import * as ExpiredQuestions from "../Task/Command/ExpiredQuestions.ts"
import * as Housekeeping from "../Task/Command/Housekeeping.ts"
import * as Retention from "../Task/Command/Retention.ts"
import * as SignInWakes from "../Task/Command/SignInWakes.ts"
import { TaskCommands } from "../Task/Command/TaskCommands.ts"
import * as TaskHistory from "../Task/Read/TaskHistory.ts"
import * as TaskMemories from "../Task/Read/TaskMemories.ts"
import * as WordBlocks from "../Task/Read/WordBlocks.ts"
import { Draining } from "../Task/Row/Draining.ts"
import * as SpendingJob from "../Task/Spending/SpendingJob.ts"
import { spendingOf } from "./LanguageModel.ts"
import { latest } from "./Latest.ts"

/** Runs tasks: the waker, the actors and the agent loop. The tools are left open. */
export const layer = (settings: Settings["Type"]) => {
  const { agent, isHosted, memory, skills, stored, tracing, worker } = settings
  const recordsContent = Option.exists(tracing, (settings) => settings.recordsContent)
  return Layer.mergeAll(
    Waker.layer({
      maxActive: worker.maxActiveTasks,
      pollInterval: Duration.seconds(1),
      grace: worker.shutdownGrace
    }),
    NotificationsJob.layer,
    TaskHistory.layerSums,
    WordBlocks.layer,
    Layer.unwrapEffect(Effect.map(StoredSettings, ({ changes }) => retention(stored, changes))),
    Layer.provide(SignInWakes.layer, TaskCommands.layer),
    ApprovalReminders.layer({ admin: isHosted ? null : defaultUser, console: settings.http.console }).pipe(
      Layer.provide(Layer.provide(Reminders.layer, Outbox.layer))
    ),
    memory.autoSave ? TaskMemories.layer : Layer.empty
  ).pipe(
    Layer.provide([Claims.layer, FirstClaims.layer]),
    Layer.provide(
      TaskActors.layer(actorSettings(settings)).pipe(
        Layer.provide(Layer.provide(ExpiredQuestions.layer, TaskCommands.layer))
      )
    ),
    Layer.provide(Draining.layer),
    Layer.provide(
      AgentLoop.layer(loopSettings(settings, recordsContent)).pipe(
        Layer.provide(
          SpendingJob.layer(latest(stored, (now) => ({ ...spendingOf(now), admin: isHosted ? null : defaultUser })))
        )
      )
    ),
    Layer.provide([
      PromptContext.layer,
      IntentPreprocessing.layer({
        stepTimeout: agent.stepTimeout,
        maxSkills: skills.max,
        intentPreprocessing: skills.intentPreprocessing
      })
    ]),
    Layer.provide(Directory.layer.pipe(Layer.provide(UserRepo.layer)))
  )
}

/** Deletes what is older than the settings at the time allow, at once after they have changed. */
const retention = (stored: Settings["Type"]["stored"], changes: Stream.Stream<void>) => {
  const days = () => stored.current().retention
  const changed = Stream.changesWith(
    Stream.map(changes, days),
    (one, other) => one.taskDays === other.taskDays && one.notificationDays === other.notificationDays
  )
  const options = latest(stored, ({ retention }) => ({ ...retention, changes: changed }))
  return Layer.merge(Housekeeping.layer(options), Retention.layer(options))
}

const loopSettings = ({ http, model, stored }: Settings["Type"], recordsContent: boolean): LoopSettings =>
  latest(stored, ({ agent }) => ({
    specialization: agent.specialization,
    additionalInstructions: Option.getOrNull(agent.additionalInstructions),
    maxParallelToolCalls: agent.maxParallelToolCalls,
    compaction: {
      threshold: agent.compactionThreshold,
      maxRecent: agent.maxRecentMessages,
      minTokens: agent.compactionMinTokens,
      contextTokens: model.contextTokens
    },
    summaryModel: Option.getOrNull(agent.summaryModel),
    prices: model.prices,
    console: http.console,
    recordsContent
  }))

/** The limits of tasks and of subtasks; a run keeps those with which it began. */
export const actorSettings = (
  { agent, stored, worker }: Pick<Settings["Type"], "agent" | "stored" | "worker">
): ActorSettings => ({
  get limits() {
    return {
      parent: stored.current().agent.limits,
      subagent: subagentLimits,
      largest: stored.current().agent.maxIterations
    }
  },
  maxCrashes: worker.maxCrashes,
  suspectPause: worker.suspectPause,
  stepHandover: worker.stepHandover,
  stepTimeout: { parent: agent.stepTimeout, subagent: agent.subagentStepTimeout }
})
