import { reportedResults, type Run } from "@troupe/domain/Run"

/** The result of a task that ends at a limit: what the agent said, else a report of its tool calls. */
export const outputOf = (
  run: Run,
  said: string,
  reason: string
): { readonly output: string; readonly reported?: true } =>
  said.trim() === "" ? { output: reportOf(run, reason), reported: true } : { output: said }

/** The same of a task whose agent answers with nothing. */
export const silentReport = (run: Run, reason: string): string => {
  const report = reportOf(run, reason, "The task ended without an answer of the agent.")
  return run.lastText === "" ? report : `${report}\n\nThe agent's last text:\n\n${run.lastText}`
}

const atLimit = "The task ended at a limit before the agent wrote an answer."

const reportOf = (run: Run, reason: string, what = atLimit): string => {
  const { resultCount, results } = reportedResults(run)
  const omitted = resultCount - results.length
  return [
    `${what} ${reason}`,
    "",
    results.length === 0 ? "No tool was called." : "Tool calls and the first line of each result:",
    ...(omitted > 0 ? [`- (${omitted} earlier calls are not listed)`] : []),
    ...results.map(({ line, name }) => `- ${name}: ${line || "(no text)"}`)
  ].join("\n")
}
