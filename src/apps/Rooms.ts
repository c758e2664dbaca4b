import { Duration, Layer, Option } from "effect"
import { Sandbox } from "../File/Sandbox.ts"
import * as LanguageModels from "../Model/LanguageModels.ts"
import { Transport } from "../Model/Transport.ts"
import { ScheduledJobs } from "../Runtime/ScheduledJobs.ts"
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
import { TaskRepo } from "../Task/TaskRepo.ts"
import { TasksLayer } from "../Task/TasksLayer.ts"
import { WorkerHealth } from "../Task/WorkerHealth.ts"
import { Mail } from "../Wire/Mail.ts"
import * as Smtp from "../Wire/Smtp.ts"

/** Skills on disk, and what is done with them. */
const skills = Layer.mergeAll(SkillMatching.layer, SkillGeneration.layer, SkillScripts.layer).pipe(
  Layer.provideMerge(Skills.layer),
  Layer.provideMerge(SkillRequirements.layer)
)

/** What every role shares: the journal, the placement of tasks, the users' files, the language model, skills. */
export const shared = ({ agent, mail, model, storage }: Settings["Type"]) =>
  Layer.mergeAll(
    Journal.layer,
    Shards.layer,
    Option.match(mail.smtp, { onNone: () => Mail.layerUnconfigured, onSome: (smtp) => Smtp.layer(smtp) }),
    Sandbox.layer({ root: storage.path, quotaBytes: storage.quotaBytes }),
    skills.pipe(
      Layer.provideMerge(ScheduledJobs.layer),
      Layer.provideMerge(
        LanguageModels.layer({ ...model, totalTimeout: Duration.times(agent.stepTimeout, 0.85) }).pipe(
          Layer.provide(Transport.layer)
        )
      )
    )
  )

/** The use-cases over tasks, as the doors need them. */
export const tasks = ({ cluster }: Settings["Type"]) =>
  Layer.merge(TasksLayer, WorkerHealth.layer).pipe(
    Layer.provide([
      TaskRepo.layer,
      TaskCommands.layer,
      LiveText.layer,
      Runners.layer({ lockExpirationSeconds: Duration.toSeconds(cluster.shardLockExpiration) })
    ])
  )
