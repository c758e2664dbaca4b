import { defaultUser } from "@troupe/domain/Ids"
import { subagentLimits } from "@troupe/domain/Run"
import { Duration, Layer, Option } from "effect"
import { AgentLoop } from "../Agent/AgentLoop.ts"
import { IntentPreprocessing } from "../Agent/IntentPreprocessing.ts"
import { PromptContext } from "../Agent/PromptContext.ts"
import { withListPrice } from "../Model/ListPrices.ts"
import { UserRepo } from "../People/User/UserRepo.ts"
import { Directory } from "../People/User/Users.ts"
import * as NotificationsJob from "../Runtime/Cluster/NotificationsJob.ts"
import type { Settings } from "../Runtime/Settings/Settings.ts"
import type { ActorSettings } from "../Task/Actor/RunJournal.ts"
import { TaskActors } from "../Task/Actor/TaskActors.ts"
import { Waker } from "../Task/Actor/Waker.ts"
import { Claims } from "../Task/Claim/Claims.ts"
import { FirstClaims } from "../Task/Claim/FirstClaims.ts"
import * as Housekeeping from "../Task/Command/Housekeeping.ts"
import * as Retention from "../Task/Command/Retention.ts"
import * as TaskHistory from "../Task/Read/TaskHistory.ts"
import * as TaskMemories from "../Task/Read/TaskMemories.ts"
import { Draining } from "../Task/Row/Draining.ts"
import * as SpendingJob from "../Task/Spending/SpendingJob.ts"

/** Runs tasks: the waker, the actors and the agent loop. The tools are left open. */
export const layer = ({ agent, isHosted, memory, model, retention, skills, tracing, worker }: Settings["Type"]) => {
  const recordsContent = Option.exists(tracing, (settings) => settings.recordsContent)
  return Layer.mergeAll(
    Waker.layer({
      maxActive: worker.maxActiveTasks,
      pollInterval: Duration.seconds(1),
      grace: worker.shutdownGrace
    }),
    NotificationsJob.layer,
    TaskHistory.layerSums,
    Housekeeping.layer({ notificationDays: retention.notificationDays }),
    Retention.layer(retention.taskDays),
    memory.autoSave ? TaskMemories.layer : Layer.empty
  ).pipe(
    Layer.provide([Claims.layer, FirstClaims.layer]),
    Layer.provide(TaskActors.layer(actorSettings({ agent, worker }))),
    Layer.provide(Draining.layer),
    Layer.provide(
      AgentLoop.layer({
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
        prices: withListPrice(model.provider, model.prices),
        recordsContent
      }).pipe(Layer.provide(SpendingJob.layer({
        maxCostPerDay: Option.getOrNull(model.maxCostPerDay),
        admin: isHosted ? null : defaultUser
      })))
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

/** The limits of tasks and of subtasks. */
export const actorSettings = ({ agent, worker }: Pick<Settings["Type"], "agent" | "worker">): ActorSettings => ({
  limits: { parent: agent.limits, subagent: subagentLimits, largest: agent.maxIterations },
  maxCrashes: worker.maxCrashes,
  suspectPause: worker.suspectPause,
  stepHandover: worker.stepHandover,
  stepTimeout: { parent: agent.stepTimeout, subagent: agent.subagentStepTimeout }
})
