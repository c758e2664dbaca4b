/**
 * A condition on the wake-up of `actors a` that no task without one fulfils, said such that PostgreSQL finds it by the
 * two indexes of wake-ups, one of the tasks in a line and one of the others, and doesn't read all that are over.
 */
export const wakeUp = (condition: string): string =>
  `(a.wake_at ${condition} and a.line is null or a.wake_at ${condition} and a.line is not null)`
