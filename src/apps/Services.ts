import * as NodeContext from "@effect/platform-node/NodeContext"
import { Duration, Layer, Option } from "effect"
import { Agents } from "../Agent/Definition/Agents.ts"
import { AgentUses } from "../Agent/Definition/AgentUses.ts"
import { TaskPreview } from "../Agent/TaskPreview.ts"
import type { ChatPlatform } from "../Chat/ChatPlatform.ts"
import { Outbox } from "../Delivery/Outbox.ts"
import { ConsoleAddress, Reminders } from "../Delivery/Reminders.ts"
import { Subscriptions } from "../Delivery/Subscriptions.ts"
import { Files } from "../File/Files.ts"
import { Reservations } from "../File/Reservations.ts"
import { Sandbox } from "../File/Sandbox.ts"
import { Snapshots } from "../File/Snapshots.ts"
import { layerUploadCleanup } from "../File/Upload.ts"
import { IgnoredMails } from "../Intake/Mail/IgnoredMails.ts"
import { ScheduleRepo } from "../Intake/Schedule/ScheduleRepo.ts"
import { ScheduleRuns } from "../Intake/Schedule/ScheduleRuns.ts"
import { Schedules } from "../Intake/Schedule/Schedules.ts"
import { Unattended } from "../Intake/Unattended/Unattended.ts"
import { Memories } from "../Memory/Memories.ts"
import { MemoryHealth } from "../Memory/MemoryHealth.ts"
import { MemoryIndex } from "../Memory/MemoryIndex.ts"
import { MemoryRepo } from "../Memory/MemoryRepo.ts"
import * as ModelHttpClient from "../Model/ModelHttpClient.ts"
import { Models } from "../Model/Models.ts"
import { StoredModels } from "../Model/StoredModels.ts"
import { TeamRepo } from "../People/Team/TeamRepo.ts"
import { Grants } from "../Policy/Grants.ts"
import { Policies } from "../Policy/Policies.ts"
import { PolicyChanges } from "../Policy/PolicyChanges.ts"
import * as PolicySeed from "../Policy/PolicySeed.ts"
import { QueueBacklog } from "../Queue/QueueBacklog.ts"
import { ScheduledJobRepo } from "../Runtime/Cluster/ScheduledJobRepo.ts"
import { ScheduledJobs } from "../Runtime/Cluster/ScheduledJobs.ts"
import type { Settings } from "../Runtime/Settings/Settings.ts"
import { SkillMatching } from "../Skill/SkillMatching.ts"
import { SkillRequirements } from "../Skill/SkillRequirements.ts"
import { Skills } from "../Skill/Skills.ts"
import { SkillScripts } from "../Skill/SkillScripts.ts"
import { BulkOperations } from "../Task/Bulk/BulkOperations.ts"
import { FirstClaims } from "../Task/Claim/FirstClaims.ts"
import { JoinedUsersLayer } from "../Task/Command/JoinedUsersLayer.ts"
import { TaskCommands } from "../Task/Command/TaskCommands.ts"
import { TaskTransactions } from "../Task/Command/TaskTransactions.ts"
import { LiveText } from "../Task/Events/LiveText.ts"
import { Journal } from "../Task/Journal/Journal.ts"
import { ApprovalList } from "../Task/Read/ApprovalList.ts"
import { PolicyTestsLayer } from "../Task/Read/PolicyTestsLayer.ts"
import { Runners, WorkerHealth } from "../Task/Read/Runners.ts"
import { TaskHistory } from "../Task/Read/TaskHistory.ts"
import { TaskRepo } from "../Task/Read/TaskRepo.ts"
import { Shards } from "../Task/Row/Shards.ts"
import { Limits } from "../Task/Spending/Limits.ts"
import { PersonalData } from "../Task/UseCase/PersonalData.ts"
import { TasksLayer } from "../Task/UseCase/TasksLayer.ts"
import { TaskSteps } from "../Task/UseCase/TaskSteps.ts"
import { Authorizations } from "../ToolServer/Authorizations.ts"
import { ToolServerRepo } from "../ToolServer/ToolServerRepo.ts"
import { ToolServerSettings } from "../ToolServer/ToolServerSettings.ts"
import { ToolServerSignIn } from "../ToolServer/ToolServerSignIn.ts"
import { sealing } from "./Database.ts"
import * as Intake from "./Intake.ts"
import * as LanguageModel from "./LanguageModel.ts"
import { latest } from "./Latest.ts"
import * as MailServers from "./MailServers.ts"
import { people, users } from "./People.ts"
import * as TeamChat from "./TeamChat.ts"
import { rulesOf, toolTests } from "./Tools.ts"

/** Skills: on disk, matched, generated, and their scripts. */
const skillServices = ({ database, isHosted, skills, storage }: Settings["Type"]) =>
  Layer.mergeAll(
    SkillMatching.layer({ threshold: skills.threshold, maxSkills: skills.max }),
    SkillScripts.layer({
      rules: { isHosted, allowUnconfined: skills.allowUnconfinedScripts, network: skills.scriptNetwork },
      hidden: [database.dataDir, storage.path]
    })
  ).pipe(
    Layer.provideMerge(Skills.layer({ custom: skills.path, refreshInterval: skills.refreshInterval })),
    Layer.provideMerge(SkillRequirements.layer)
  )

/** Several processes may write files with a configured database, and only one with the embedded one. */
const sandbox = ({ database, storage, stored }: Settings["Type"]) => {
  const files = Sandbox.layer(
    latest(stored, ({ storage: { quotaBytes } }) => ({ root: storage.path, quotaBytes }))
  )
  return Option.isSome(database.url) ? Layer.provide(files, Reservations.layerShared) : files
}

/** Services of every role: the journal, the placement of tasks, the users' files, the language model, skills. */
export const shared = (settings: Settings["Type"], chat?: Layer.Layer<ChatPlatform>) => {
  const { agent, model, storage, tracing } = settings
  const recordsContent = Option.exists(tracing, (traced) => traced.recordsContent)
  // The longest step's share for calls; those of shorter steps are limited by their own time.
  const totalTimeout = Duration.times(Duration.max(agent.stepTimeout, agent.subagentStepTimeout), 0.85)
  return Layer.mergeAll(
    Journal.layer,
    Shards.layer,
    Layer.succeed(ConsoleAddress, settings.http.console),
    PolicySeed.layer(settings.policy.file).pipe(
      Layer.provide(NodeContext.layer),
      Layer.provideMerge(Policies.layer(settings.policy)),
      Layer.provideMerge(Grants.layer)
    ),
    MailServers.mail(() => settings.stored.current().mail.smtp),
    TeamChat.layer(settings, chat),
    sandbox(settings),
    Snapshots.layer({ root: storage.path }),
    Layer.merge(
      skillServices(settings),
      Agents.layer({ folder: settings.agents.path, refreshInterval: settings.agents.refreshInterval })
    ).pipe(
      Layer.provideMerge(
        Layer.provide(ScheduledJobs.layer, ScheduledJobRepo.layer)
      ),
      Layer.provideMerge(
        LanguageModel.layer(
          { ...model, recordsContent, totalTimeout },
          settings.isHosted ? ModelHttpClient.layer({ timeout: model.requestTimeout, publicOnly: true }) : undefined
        ).pipe(
          Layer.provide(ModelHttpClient.layer({ timeout: model.requestTimeout }))
        )
      )
    )
  ).pipe(
    Layer.provideMerge(Layer.mergeAll(ToolServerRepo.layer, Authorizations.layer, StoredModels.layer)),
    Layer.provideMerge(sealing(settings))
  )
}

/** Outgoing webhooks. */
const subscriptions = ({ isHosted }: Settings["Type"]) => Layer.provide(Subscriptions.layer({ isHosted }), Outbox.layer)

/** The use-cases behind the HTTP interface. */
export const tasks = (settings: Settings["Type"]) =>
  Layer.mergeAll(
    schedules(settings).pipe(
      Layer.provideMerge(TaskSteps.layer),
      Layer.provideMerge(taskUses(settings))
    ),
    PersonalData.layer.pipe(Layer.provide(MemoryRepo.layer)),
    WorkerHealth.layer,
    TaskHistory.layer,
    Limits.layer(latest(settings.stored, LanguageModel.spendingOf)),
    ApprovalList.layer,
    Layer.provide(PolicyChanges.layer, PolicyTestsLayer),
    TaskPreview.layer({
      maxSkills: settings.skills.max,
      intentPreprocessing: settings.skills.intentPreprocessing,
      specialization: settings.agent.specialization,
      additionalInstructions: Option.getOrNull(settings.agent.additionalInstructions)
    }),
    AgentUses.layer,
    BulkOperations.layer,
    Files.layer(latest(settings.stored, ({ storage }) => storage)),
    layerUploadCleanup,
    JoinedUsersLayer,
    subscriptions(settings),
    MemoryHealth.layer({ cacheBytes: settings.memory.cacheBytes }),
    QueueBacklog.layer,
    Intake.webhooks(settings),
    Unattended.layer({ mailbox: () => Intake.watchedMailbox(settings) }).pipe(
      Layer.provideMerge(
        Layer.merge(Intake.webhookTypes(settings), ToolServerSettings.layer({ rules: rulesOf(settings) }))
      )
    ),
    IgnoredMails.layer,
    toolTests(settings),
    ToolServerSignIn.layer({ rules: rulesOf(settings), publicUrl: settings.http.publicUrl }),
    Layer.provideMerge(Models.layer({ isHosted: settings.isHosted }), LanguageModel.usesOf(settings))
  ).pipe(
    Layer.provide(taskRows(settings)),
    Layer.provideMerge(people(settings))
  )

const taskUses = ({ stored }: Settings["Type"]) =>
  Layer.provideMerge(TasksLayer, TaskTransactions.layer).pipe(
    Layer.provide(LanguageModel.largestIterations(stored))
  )

const schedules = ({ isHosted, stored }: Settings["Type"]) =>
  Schedules.layer(latest(stored, ({ schedules }) => schedules)).pipe(
    Layer.provideMerge(
      ScheduleRuns.layer({ isHosted }).pipe(
        Layer.provide([TeamRepo.layer, Layer.provide(Reminders.layer, Outbox.layer)])
      )
    ),
    Layer.provideMerge(ScheduleRepo.layer)
  )

const taskRows = ({ worker }: Settings["Type"]) =>
  Layer.mergeAll(
    TaskRepo.layer,
    FirstClaims.layer,
    TaskCommands.layer,
    LiveText.layer,
    Runners.layer(worker.maxActiveTasks)
  )

/** What makes tasks in a process without the HTTP interface. */
export const submission = (settings: Settings["Type"]) =>
  schedules(settings).pipe(
    Layer.provideMerge(taskUses(settings)),
    Layer.provide(taskRows(settings)),
    Layer.provideMerge(users)
  )

/** The memories of users, for the agents. */
export const memories = ({ memory, stored }: Settings["Type"]) =>
  Memories.layer(latest(stored, ({ memory: { maxPerUser } }) => ({ maxPerUser, inject: memory.inject }))).pipe(
    Layer.provide(MemoryIndex.layer({ cacheBytes: memory.cacheBytes })),
    Layer.provide(MemoryRepo.layer)
  )
