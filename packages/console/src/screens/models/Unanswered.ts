import { useQuery } from "@tanstack/react-query"
import { agentsQuery } from "../../service/AgentQueries.ts"
import { useHasModel } from "../../service/SystemQueries.ts"

/** Whether the text calls for a tool as the offline model reads it. */
const hasDirective = (text: string): boolean => /^[ \t]*use[ \t]+[\w.:-]/m.test(text)

/** Whether nobody would understand the text: the offline model would answer it. */
export const useIsUnanswered = (message: string, agent: string): boolean => {
  const hasModel = useHasModel()
  const agents = useQuery({ ...agentsQuery, enabled: hasModel === false && agent !== "" }).data
  return hasModel === false && message.trim() !== "" && !hasDirective(message)
    && agents?.some(({ model, name }) => name === agent && model !== null) !== true
}
