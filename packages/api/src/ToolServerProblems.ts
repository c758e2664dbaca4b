import { ToolServersInvalid } from "@troupe/domain/ToolServer"
import { problem } from "./Problem.ts"

/** The domain errors of tool servers, each with its problem. */
export const toolServersInvalid = problem(ToolServersInvalid, {
  slug: "tool-servers-invalid",
  status: 400,
  title: "The tool servers can't be configured",
  errors: ({ mistakes }) => mistakes
})
