import type { SkillRequirements as Needs } from "@troupe/domain/Skill"
import { noRequirements, SkillName } from "@troupe/domain/Skill"
import { Context, type Duration, Effect, Layer, type Scope } from "effect"
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { ScheduledJobs } from "../../src/Runtime/Cluster/ScheduledJobs.ts"
import { SkillRequirements } from "../../src/Skill/SkillRequirements.ts"
import { Skills } from "../../src/Skill/Skills.ts"
import { freshFolder } from "../support/FreshFolder.ts"

export interface Place {
  readonly base: string
  readonly builtIn: string
  readonly custom: string
  /** Writes a file beneath the base, with its folders. */
  readonly put: (path: string, content: string) => void
  readonly read: (path: string) => string
  readonly names: (path: string) => ReadonlyArray<string>
  /** Another process's view of the same folders. */
  readonly skills: Effect.Effect<Skills["Type"], never, Scope.Scope>
}

/** Two empty folders of skills that are gone after the test. */
export const makePlace = (
  options: { readonly refreshInterval?: Duration.DurationInput; readonly lacks?: Needs } = {}
) =>
  Effect.map(
    freshFolder,
    (base): Place => {
      const builtIn = join(base, "builtin")
      const custom = join(base, "custom")
      fs.mkdirSync(builtIn)
      return {
        base,
        builtIn,
        custom,
        put: (path, content) => {
          fs.mkdirSync(dirname(join(base, path)), { recursive: true })
          fs.writeFileSync(join(base, path), content)
        },
        read: (path) => fs.readFileSync(join(base, path), "utf8"),
        names: (path) => fs.readdirSync(join(base, path)).sort(),
        skills: Effect.map(
          Layer.build(
            Layer.provide(
              Skills.layer({ builtIn, custom, refreshInterval: options.refreshInterval ?? "1 minute" }),
              [
                Layer.succeed(SkillRequirements, { missing: () => Effect.succeed(options.lacks ?? noRequirements) }),
                ScheduledJobs.layerMemory
              ]
            )
          ),
          Context.get(Skills)
        )
      }
    }
  )

export const skillText = (name: string, description = `About ${name}.`, rest = "") =>
  `---\nname: ${name}\ndescription: ${description}\n${rest}---\n\nDo as ${name} says.\n`

export const name = (text: string) => SkillName.make(text)

export const draft = { name: name("my-skill"), description: "Mine.", instructions: "Do mine." }
