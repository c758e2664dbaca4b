/** Why an answer is not used, for the reason of a task that ends at its limit. */
export const unusable = { call: "a tool call written as text, which is not run", empty: "empty" }

export const nothingTwice = "The model answered with nothing, also when it was asked once more."

export const calledTwice = (tool: string): string =>
  `The model called ${tool} in the text of its answer, also when it was told to use tool calls. Such calls are never run, as `
  + "a text from outside could hold them. Choose a model that supports tool calls, or turn on the parser for its tool calls in "
  + "the model server, then retry the task."

export const cutOff = "[The answer was cut off here: the model reached its output limit.]"

export const filteredOff = "[The answer was cut off here by the content filter of the model's provider.]"

/** The model's own output limit may be lower. An empty answer counts as cut by the budget, so that the task continues. */
export const isCutByBudget = (
  budget: { readonly maxOutput: number } | null,
  output: number,
  content: string
): boolean => budget !== null && (output >= budget.maxOutput * 0.9 || content.trim() === "")
