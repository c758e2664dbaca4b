import { assert, it } from "@effect/vitest"
import { noRequirements } from "@troupe/domain/Skill"
import { Effect, Layer } from "effect"
import { ScheduledJobs } from "../../src/Runtime/ScheduledJobs.ts"
import { Settings } from "../../src/Runtime/Settings.ts"
import { SkillRequirements } from "../../src/Skill/SkillRequirements.ts"
import { Skills } from "../../src/Skill/Skills.ts"
import { makePlace } from "./place.ts"

it.scoped("The folders of skills are looked at every SKILLS_REFRESH_INTERVAL seconds, 60 by default, as a listed job", () =>
  Effect.gen(function*() {
    const place = yield* makePlace()
    for (const [given, next] of [[{}, "00:01:00"], [{ SKILLS_REFRESH_INTERVAL: "90" }, "00:01:30"]] as const) {
      const jobs = yield* Effect.flatMap(ScheduledJobs, ({ report }) => report).pipe(
        Effect.provide(Skills.layer.pipe(
          Layer.provideMerge(ScheduledJobs.layerMemory),
          Layer.provide([
            Layer.orDie(Settings.layerFrom({ SKILLS_PATH: place.custom, ...given })),
            Layer.succeed(SkillRequirements, { missing: () => Effect.succeed(noRequirements) })
          ])
        ))
      )
      assert.deepStrictEqual(jobs, [
        {
          name: "skills_refresh",
          scope: "process",
          last_run_at: null,
          next_run_at: `1970-01-01T${next}.000Z`,
          last_error: null
        }
      ])
    }
  }))
