import { Duration, Layer, Option } from "effect"
import { AgentLoop } from "../Agent/AgentLoop.ts"
import { Briefings } from "../Agent/Briefings.ts"
import { Preparation } from "../Agent/Preparation.ts"
import { Projects } from "../People/Projects.ts"
import { Roster } from "../People/Roster.ts"
import { UserRepo } from "../People/UserRepo.ts"
import type { Settings } from "../Runtime/Settings.ts"
import { Claims } from "../Task/Claims.ts"
import { Draining } from "../Task/Draining.ts"
import * as Housekeeping from "../Task/Housekeeping.ts"
import { Inbox } from "../Task/Inbox.ts"
import { Subtasks } from "../Task/Subtasks.ts"
import { type ActorSettings, TaskActors } from "../Task/TaskActors.ts"
import { TaskEntityLayer } from "../Task/TaskEntityLayer.ts"
import * as TaskMemories from "../Task/TaskMemories.ts"
import { Waker } from "../Task/Waker.ts"

/** What runs tasks: the waker and the actors, with the agent behind them. Its tools are left open. */
export const layer = ({ agent, cluster, memory, model, projects, worker }: Settings["Type"]) =>
  Layer.mergeAll(
    Waker.layer({ maxActive: worker.maxActiveTasks, pollInterval: worker.pollInterval }),
    Housekeeping.layer,
    memory.autoSave ? TaskMemories.layer : Layer.empty
  ).pipe(
    Layer.provide(Claims.layer({ lockExpirationSeconds: Duration.toSeconds(cluster.shardLockExpiration) })),
    Layer.provide(TaskEntityLayer),
    Layer.provide(TaskActors.layer(actorSettings({ agent, worker }))),
    Layer.provide([Draining.layer, Inbox.layer, Subtasks.layer]),
    Layer.provide(AgentLoop.layer({
      specialization: agent.specialization,
      additionalInstructions: Option.getOrNull(agent.additionalInstructions),
      maxParallelToolCalls: agent.maxParallelToolCalls,
      compaction: {
        threshold: agent.compactionThreshold,
        maxRecent: agent.maxRecentMessages,
        contextTokens: model.contextTokens,
        contextShare: agent.contextShare
      }
    })),
    Layer.provide([Briefings.layer, Preparation.layer]),
    Layer.provide([Projects.layer({ root: projects.path }), Roster.layer.pipe(Layer.provide(UserRepo.layer))])
  )

/** How far the actors of tasks and of subtasks may go. */
export const actorSettings = ({ agent, worker }: Pick<Settings["Type"], "agent" | "worker">): ActorSettings => ({
  limits: { parent: agent.limits, subagent: agent.subagentLimits },
  maxCrashes: worker.maxCrashes,
  suspectPause: worker.suspectPause,
  stepTimeout: { parent: agent.stepTimeout, subagent: agent.subagentStepTimeout }
})
