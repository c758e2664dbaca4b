import type { ScheduleId } from "@troupe/domain/Ids"
import { Context, Effect, Layer, type Scope } from "effect"
import type { YieldWrap } from "effect/Utils"
import { Outbox } from "../../../src/Delivery/Outbox.ts"
import { Reminders } from "../../../src/Delivery/Reminders.ts"
import { ScheduleRepo } from "../../../src/Intake/Schedule/ScheduleRepo.ts"
import { ScheduleRuns } from "../../../src/Intake/Schedule/ScheduleRuns.ts"
import { type ScheduleRequest, Schedules } from "../../../src/Intake/Schedule/Schedules.ts"
import { Channels } from "../../../src/People/Channel/Channels.ts"
import { TeamRepo } from "../../../src/People/Team/TeamRepo.ts"
import { atOneMoment } from "../../support/FrozenClock.ts"
import { alice } from "../../support/GivenTasks.ts"
import { inWorld, Wire, type World } from "../../support/TaskWorld.ts"

const channels = Channels.layer({ projectsPath: "/nowhere" })

const schedulesLayer = (options: { readonly isHosted: boolean }) =>
  Schedules.layer({ maxPerUser: 3 }).pipe(
    Layer.provideMerge(
      ScheduleRuns.layer(options).pipe(Layer.provide([TeamRepo.layer, Layer.provide(Reminders.layer, Outbox.layer)]))
    ),
    Layer.provideMerge(ScheduleRepo.layer),
    Layer.provide(channels)
  )

type Body = (
  schedules: Schedules["Type"],
  runs: ScheduleRuns["Type"]
) => Generator<YieldWrap<Effect.Effect<unknown, unknown, ScheduleRepo | Scope.Scope | World>>, unknown, never>

interface Options {
  readonly isHosted?: boolean
  /** Stops the clock of the service: the next runs are others as soon as an hour ends. */
  readonly atOneMoment?: boolean
}

/** Tests of the use-cases and the runs of schedules, in the world of tasks. */
export const inSchedules = (
  name: string,
  tests: (test: (name: string, body: Body, options?: Options) => void) => void
): void =>
  inWorld(name, (test) =>
    tests((name, body, options = {}) =>
      test(
        name,
        Effect.flatMap(Layer.build(schedulesLayer({ isHosted: options.isHosted ?? false })), (context) => {
          const whole = Effect.gen(() => body(Context.get(context, Schedules), Context.get(context, ScheduleRuns)))
          return Effect.provide(options.atOneMoment === true ? atOneMoment(whole) : whole, context)
        })
      )
    ))

export const scheduleRequest = (
  when: Pick<ScheduleRequest, "at" | "every">,
  more: Partial<ScheduleRequest> = {}
): ScheduleRequest => ({
  kind: "task",
  message: "Water the plants",
  ...when,
  user_id: alice,
  ...more
})

/** Moves the next run of a schedule into the past, as if the service had been down. */
export const overdue = (id: ScheduleId, by = "1 hour") =>
  Effect.flatMap(
    Wire,
    ({ query }) => query("update schedules set next_run_at = now() - $2::interval where id = $1", [id, by])
  )
