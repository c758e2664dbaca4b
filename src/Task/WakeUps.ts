/**
 * A condition on the wake-up time of `actors a`, written so that PostgreSQL uses the two partial indexes on it (queued
 * tasks, and others) and does not read the tasks that have ended.
 */
export const wakeUp = (condition: string): string =>
  `(a.wake_at ${condition} and a.queued_by is null or a.wake_at ${condition} and a.queued_by is not null)`
