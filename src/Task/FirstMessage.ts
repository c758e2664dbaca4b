import { fence } from "@troupe/domain/Fence"

/**
 * The message that opens a task's conversation: what was asked, what the task goes on from, and the names of the files
 * that came with it.
 */
export const firstMessage = (
  input: string,
  extras: { readonly context: string | null; readonly attachments: ReadonlyArray<string> }
): string =>
  [
    ...(extras.context === null ? [] : [extras.context]),
    input,
    ...(extras.attachments.length === 0
      ? []
      : [`Files that came with the request, in the sandbox: ${extras.attachments.join(", ")}`])
  ].join("\n\n")

/** How a task that continues another is told of it. The outcome is an earlier answer, so it is marked as data. */
export const continuation = (previous: { readonly title: string; readonly outcome: string }): string =>
  `This continues the task "${previous.title}". Its outcome was:\n${fence("earlier_outcome", previous.outcome)}`
