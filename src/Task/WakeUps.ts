/** A condition on `wake_at` that uses its two partial indexes (queued tasks, others) and reads no finished tasks. */
export const wakeUp = (condition: string): string =>
  `(a.wake_at ${condition} and a.queued_by is null or a.wake_at ${condition} and a.queued_by is not null)`
