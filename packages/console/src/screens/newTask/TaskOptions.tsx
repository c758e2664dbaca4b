import { useQuery } from "@tanstack/react-query"
import { Choice } from "../../parts/Choice.tsx"
import { Field, Input } from "../../parts/Field.tsx"
import { agentsQuery } from "../../service/AgentQueries.ts"
import { projectNamesQuery } from "../../service/ProjectNames.ts"
import { userNamesQuery } from "../../service/UserNames.ts"

export const noOptions = { agent: "", project_id: "", assignee: "", max_tokens_total: "" }

type Options = typeof noOptions

const noNames: ReadonlyMap<string, string> = new Map()

/** What a task may have beside its request, with the names of channels and people. */
export const TaskOptions = ({ errorAt, onChange, options }: {
  readonly options: Options
  readonly errorAt: (field: keyof Options) => string | undefined
  readonly onChange: (changes: Partial<Options>) => void
}) => {
  const agents = new Map(useQuery(agentsQuery).data?.map(({ name }) => [name, name]))
  const projects = useQuery(projectNamesQuery).data ?? noNames
  const people = new Map([...useQuery(userNamesQuery).data ?? []].filter(([id]) => id !== "system"))
  const choice = (
    name: keyof Options,
    label: string,
    none: string,
    hint: string,
    names: ReadonlyMap<string, string>
  ) => (
    <Choice
      label={label}
      none={none}
      hint={hint}
      names={names}
      value={options[name]}
      error={errorAt(name)}
      onChange={(value) => onChange({ [name]: value })}
    />
  )
  const field = (name: keyof Options, label: string, hint: string) => (
    <Field label={label} hint={hint} error={errorAt(name)}>
      <Input
        value={options[name]}
        inputMode={name === "max_tokens_total" ? "numeric" : "text"}
        onChange={({ target }) =>
          onChange({ [name]: target.value.trim() })}
      />
    </Field>
  )
  return (
    <div className="mt-3 grid gap-3 sm:grid-cols-2">
      {choice("agent", "Agent", "No specific agent", "Who works on it", agents)}
      {projects.size > 0
        ? choice("project_id", "Project", "None", "The channel that it belongs to", projects)
        : field("project_id", "Project", "The channel or project that it belongs to")}
      {choice("assignee", "Assignee", "You", "Who answers its questions", people)}
      {field("max_tokens_total", "Token budget", "At least 4000; empty: no limit")}
    </div>
  )
}
