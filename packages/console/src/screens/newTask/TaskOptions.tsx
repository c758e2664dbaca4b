import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { Field, Input } from "../../parts/Field.tsx"
import { agentsQuery } from "../../service/AgentQueries.ts"
import { channelsQuery } from "../../service/ChannelQueries.ts"
import { peopleQuery } from "../../service/PeopleQueries.ts"
import { personName } from "../../service/UserNames.ts"

export const noOptions = { agent: "", project_id: "", assignee: "", max_tokens_total: "" }

type Options = typeof noOptions

/** What a task may have beside its request, with proposals from channels and people. */
export const TaskOptions = ({ errorAt, onChange, options }: {
  readonly options: Options
  readonly errorAt: (field: keyof Options) => string | undefined
  readonly onChange: (changes: Partial<Options>) => void
}) => {
  const agents = useQuery(agentsQuery)
  const channels = useInfiniteQuery(channelsQuery)
  const people = useInfiniteQuery(peopleQuery)
  const field = (name: keyof Options, label: string, hint: string) => (
    <Field label={label} hint={hint} error={errorAt(name)}>
      <Input
        value={options[name]}
        list={name === "max_tokens_total" ? undefined : `${name}-proposals`}
        inputMode={name === "max_tokens_total" ? "numeric" : "text"}
        onChange={({ target }) =>
          onChange({ [name]: target.value.trim() })}
      />
    </Field>
  )
  return (
    <div className="mt-3 grid gap-3 sm:grid-cols-2">
      {field("agent", "Agent", "Empty: none in particular")}
      {field("project_id", "Project", "Channel or project it belongs to")}
      {field("assignee", "Assignee", "Who answers its questions; choose, or a user id")}
      {field("max_tokens_total", "Token budget", "At least 4000; empty: no limit")}
      <datalist id="agent-proposals">
        {agents.data?.map(({ name }) => <option key={name} value={name} />)}
      </datalist>
      <datalist id="project_id-proposals">
        {channels.data?.pages.flatMap(({ items }) => items).map(({ id, name, project_id }) =>
          project_id !== null && <option key={id} value={project_id}>#{name}</option>
        )}
      </datalist>
      <datalist id="assignee-proposals">
        {people.data?.pages.flatMap(({ items }) => items).map((user) =>
          !user.is_system && <option key={user.id} value={user.id}>{personName(user)}</option>
        )}
      </datalist>
    </div>
  )
}
