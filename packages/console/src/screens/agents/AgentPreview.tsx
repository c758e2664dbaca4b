import { useQuery } from "@tanstack/react-query"
import type { PreviewAgent } from "@troupe/client"
import { Problem } from "../../parts/Problem.tsx"
import { Tags } from "../../parts/Tags.tsx"
import { agentPreviewQuery } from "../../service/AgentQueries.ts"

/** The tools and the system prompt that tasks of the agent have. */
export const AgentPreview = ({ agent }: { readonly agent: PreviewAgent }) => {
  const { data, error } = useQuery(agentPreviewQuery(agent))
  if (error !== null) return <Problem error={error} title="The preview could not be made" />
  if (data === undefined) return null
  return (
    <div className="flex flex-col gap-2">
      <p className="font-medium">Tools ({data.tools.length})</p>
      {data.tools.length === 0
        ? <p className="text-wait">It has no tools.</p>
        : <Tags names={data.tools.map(({ name }) => name)} />}
      <p className="font-medium">System prompt</p>
      <pre tabIndex={0} className="max-h-80 overflow-auto rounded-md border bg-raised p-2 text-xs whitespace-pre-wrap">
        {data.prompt}
      </pre>
    </div>
  )
}
