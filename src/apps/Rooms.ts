import { NodeContext } from "@effect/platform-node"
import { defaultUser } from "@troupe/domain/Ids"
import { Duration, Layer, Option } from "effect"
import { NotificationRepo } from "../Delivery/NotificationRepo.ts"
import { Notifications } from "../Delivery/Notifications.ts"
import { Sandbox } from "../File/Sandbox.ts"
import { Memories } from "../Memory/Memories.ts"
import { MemoryIndex } from "../Memory/MemoryIndex.ts"
import { MemoryRepo } from "../Memory/MemoryRepo.ts"
import * as LanguageModels from "../Model/LanguageModels.ts"
import { Transport } from "../Model/Transport.ts"
import * as DefaultUser from "../People/DefaultUser.ts"
import { UserRepo } from "../People/UserRepo.ts"
import { Users } from "../People/Users.ts"
import { ScheduledJobRepo } from "../Runtime/ScheduledJobRepo.ts"
import { ScheduledJobs } from "../Runtime/ScheduledJobs.ts"
import { Sealing } from "../Runtime/Sealing.ts"
import type { Settings } from "../Runtime/Settings.ts"
import { SkillGeneration } from "../Skill/SkillGeneration.ts"
import { SkillMatching } from "../Skill/SkillMatching.ts"
import { SkillRequirements } from "../Skill/SkillRequirements.ts"
import { Skills } from "../Skill/Skills.ts"
import { SkillScripts } from "../Skill/SkillScripts.ts"
import { Journal } from "../Task/Journal.ts"
import { LiveText } from "../Task/LiveText.ts"
import { Runners } from "../Task/Runners.ts"
import { Shards } from "../Task/Shards.ts"
import { TaskCommands } from "../Task/TaskCommands.ts"
import { TaskEvents } from "../Task/TaskEvents.ts"
import { TaskRepo } from "../Task/TaskRepo.ts"
import { TasksLayer } from "../Task/TasksLayer.ts"
import { WorkerHealth } from "../Task/WorkerHealth.ts"
import { BuiltIns } from "../Tool/BuiltIns.ts"
import { maxCallSecondsOf } from "../ToolServer/CallTimeout.ts"
import type { EntryRules } from "../ToolServer/Entries.ts"
import { ToolServerRepo } from "../ToolServer/ToolServerRepo.ts"
import { ToolServers } from "../ToolServer/ToolServers.ts"
import { ToolServerSettings } from "../ToolServer/ToolServerSettings.ts"
import * as ToolServersSeed from "../ToolServer/ToolServersSeed.ts"
import { Mail } from "../Wire/Mail.ts"
import * as Smtp from "../Wire/Smtp.ts"

/** Skills on disk, and what is done with them. */
const skills = Layer.mergeAll(SkillMatching.layer, SkillGeneration.layer, SkillScripts.layer).pipe(
  Layer.provideMerge(Skills.layer),
  Layer.provideMerge(SkillRequirements.layer)
)

/** What every role shares: the journal, the placement of tasks, the users' files, the language model, skills. */
export const shared = ({ agent, cluster, mail, model, storage, toolServers }: Settings["Type"]) =>
  Layer.mergeAll(
    Journal.layer,
    Shards.layer,
    ToolServerRepo.layer.pipe(Layer.provide(Sealing.layer(toolServers.secretsKey))),
    Option.match(mail.smtp, { onNone: () => Mail.layerUnconfigured, onSome: (smtp) => Smtp.layer(smtp) }),
    Sandbox.layer({ root: storage.path, quotaBytes: storage.quotaBytes }),
    skills.pipe(
      Layer.provideMerge(
        ScheduledJobs.layer.pipe(
          Layer.provide(
            ScheduledJobRepo.layer({ lockExpirationSeconds: Duration.toSeconds(cluster.shardLockExpiration) })
          )
        )
      ),
      Layer.provideMerge(
        // Whichever kind of task asks, the provider's reason comes before the end of the step.
        LanguageModels.layer({
          ...model,
          totalTimeout: Duration.times(Duration.min(agent.stepTimeout, agent.subagentStepTimeout), 0.85)
        }).pipe(Layer.provide(Transport.layer))
      )
    )
  )

/** Users and their feeds. */
const people = ({ deploymentMode }: Settings["Type"]) =>
  (deploymentMode === "hosted" ? Layer.empty : DefaultUser.layer).pipe(
    Layer.merge(Notifications.layer.pipe(Layer.provide(NotificationRepo.layer))),
    Layer.provideMerge(Users.layer.pipe(Layer.provide(UserRepo.layer)))
  )

/** The use-cases over tasks, people and tool servers, as the doors need them. */
export const tasks = (settings: Settings["Type"]) =>
  Layer.mergeAll(TasksLayer, WorkerHealth.layer, ToolServerSettings.layer({ rules: rulesOf(settings) })).pipe(
    Layer.provide([
      TaskRepo.layer,
      TaskCommands.layer,
      TaskEvents.layer.pipe(Layer.provide(LiveText.layer)),
      Runners.layer({ lockExpirationSeconds: Duration.toSeconds(settings.cluster.shardLockExpiration) })
    ]),
    Layer.provideMerge(people(settings))
  )

/** The agents' tools, those of the tool servers among them, which run in this process. */
export const tools = (settings: Settings["Type"]) => {
  const { callTimeout, configFile: file, connectTimeout } = settings.toolServers
  const { stepTimeout: parent, subagentLimits, subagentStepTimeout: subagent } = settings.agent
  const rules = rulesOf(settings)
  return BuiltIns.layer({ stepTimeout: { parent, subagent }, subagentHardLimit: subagentLimits.hard }).pipe(
    Layer.provide(
      ToolServers.layer({
        callTimeout,
        connectTimeout,
        stepTimeout: { parent: settings.agent.stepTimeout, subagent: settings.agent.subagentStepTimeout },
        publicOnly: rules.isHosted,
        acceptChanges: settings.toolServers.acceptChanged,
        admin: rules.isHosted ? null : defaultUser
      })
    ),
    Layer.provide(ToolServersSeed.layer({ file, rules }).pipe(Layer.provide(NodeContext.layer)))
  )
}

const rulesOf = ({ agent, deploymentMode, toolServers: { allowStdio } }: Settings["Type"]): EntryRules => ({
  isHosted: deploymentMode === "hosted",
  allowStdio,
  maxCallSeconds: maxCallSecondsOf([agent.stepTimeout, agent.subagentStepTimeout])
})

/** What the users' agents remember, as the workers need it. */
export const memories = ({ memory }: Settings["Type"]) =>
  Memories.layer({ maxPerUser: memory.maxPerUser }).pipe(
    Layer.provide(MemoryIndex.layer({ cacheBytes: memory.cacheBytes })),
    Layer.provide(MemoryRepo.layer)
  )
