import { plural } from "@troupe/domain/Text"
import { DateTime, Duration } from "effect"

/**
 * The end of a process says little about each of its tasks: one is a suspect after the second death in a row at a step,
 * and fails only after too many deaths as the only suspect. The next journalled step clears it.
 */
export interface ProcessDeaths {
  readonly deaths: number
  /** At how many of these deaths the process ran no other task that counted a death. */
  readonly loneDeaths: number
  readonly claimKind: ClaimKind | null
}

/** The holder ended or lost the shard, or the claimed task is the only suspect or was retried. */
export type ClaimKind = "recovered" | "moved" | "alone" | "retried"

/** The `queued_by` of suspects. It sorts before the address of every runner, whatever the collation. */
export const suspectQueue = ""

export const isSuspect = (deaths: number): boolean => deaths > 1

/** Only a suspect whose process ended no more than twice may run beside other suspects. */
export const maxSharedDeaths = 2

export const decide = (
  { claimKind, deaths, loneDeaths }: ProcessDeaths,
  maxCrashes: number
): "run" | "pause" | "fail" => {
  if (claimKind !== "recovered" || !isSuspect(deaths)) return "run"
  return loneDeaths > maxCrashes ? "fail" : "pause"
}

const growth = 3

const maxPause = Duration.minutes(5)

/** `first` after two deaths, three times as long after each further one, at most five minutes, with jitter. */
export const pauseAfter = (deaths: number, first: Duration.Duration, random: number): Duration.Duration =>
  Duration.times(Duration.min(Duration.times(first, growth ** (deaths - 2)), maxPause), 0.5 + random)

export const endedDuringStep = (deaths: number): string =>
  `The process that ran this task ended ${plural(deaths, "time")} in a row during this step`

export const failureReason = ({ loneDeaths }: ProcessDeaths, now: number): string =>
  `The process that ran this task ended ${loneDeaths} ${loneDeaths === 1 ? "time" : "times"} during this step `
  + `while no other task was being recovered (last noticed at ${
    DateTime.formatIso(DateTime.unsafeMake(now))
  }): the step probably takes more `
  + "memory than the process has, or crashes it. Look at the service's log of that time, then retry the task."
