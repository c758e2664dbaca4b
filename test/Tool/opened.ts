import { Effect } from "effect"
import type { Toolbox } from "../../src/Tool/Toolbox.ts"
import { Toolboxes, type ToolUser } from "../../src/Tool/Toolboxes.ts"

/** The toolbox of a parent agent, or of whom the test says. */
export const opened = (
  user: ToolUser = { type: "task", agentType: null, toolAccess: "all" }
): Effect.Effect<Toolbox, never, Toolboxes> =>
  Effect.flatMap(Toolboxes, (toolboxes) => Effect.scoped(toolboxes.open(user)))
