import { Context, Effect, Layer, Option, type Scope } from "effect"
import { Reminders } from "../../src/Delivery/Reminders.ts"
import { ScheduleRepo } from "../../src/Intake/ScheduleRepo.ts"
import { ScheduleRuns } from "../../src/Intake/ScheduleRuns.ts"
import { type ScheduleRequest, Schedules } from "../../src/Intake/Schedules.ts"
import { alice } from "../support/GivenTasks.ts"
import type { World } from "../support/TaskWorld.ts"

export const schedulesLayer = Schedules.layer({ maxPerUser: 3 }).pipe(
  Layer.provideMerge(Layer.provide(ScheduleRuns.layer, Reminders.layer)),
  Layer.provideMerge(ScheduleRepo.layer)
)

/** The use-cases and the runs of schedules in the world of a test. */
export const inSchedules = <A, E>(
  use: (
    schedules: Schedules["Type"],
    runs: ScheduleRuns["Type"]
  ) => Effect.Effect<A, E, ScheduleRepo | Scope.Scope | World>
): Effect.Effect<A, E, Scope.Scope | World> =>
  Effect.flatMap(
    Layer.build(schedulesLayer),
    (context) =>
      use(Context.get(context, Schedules), Context.get(context, ScheduleRuns)).pipe(
        Effect.provideService(ScheduleRepo, Context.get(context, ScheduleRepo))
      )
  )

export const scheduleRequest = (
  when: ScheduleRequest["when"],
  more: Partial<ScheduleRequest> = {}
): ScheduleRequest => ({
  kind: "task",
  message: "Water the plants",
  title: Option.none(),
  when,
  timezone: Option.none(),
  userId: alice,
  channelId: Option.none(),
  ...more
})
