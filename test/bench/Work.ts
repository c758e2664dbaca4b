/** The measured work: a request, some rounds of one tool call, an answer, all as large as the peers'. */
export const messageOf = (task: number): string =>
  `Task ${task}: gather the figures of the last quarter for all three regions, compare them with those of the year `
  + "before, and sum up for the board in a few lines what changed most and why it did."

export const numberOf = (request: string): number => Number(/Task (\d+): gather/.exec(request)?.[1] ?? -1)

/** Makes the system prompt as long as the peers' (1.7 kB). */
export const instructions =
  "Take the work one step at a time, call whichever tool you need, and answer with plain text "
  + "as soon as you know the result. ".repeat(14)

const toolBytes = 512

export const toolResult = (question: string): string => {
  const head = `{"question":${JSON.stringify(question)},"figures":[`
  const row = `{"region":"north","quarter":3,"value":4711},`
  return `${head}${row.repeat(12)}`.slice(0, toolBytes - 2).padEnd(toolBytes - 2, " ") + "]}"
}

/** Steps of a task besides the claim: a model step and a tool step per round, and the answer. */
export const stepsOf = (rounds: number): number => 2 * rounds + 1

/** The file that `read_file` reads in the built service. */
export const dataFile = "data.json"
