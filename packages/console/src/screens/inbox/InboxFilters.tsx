import { Button } from "../../parts/Button.tsx"
import { inputLook } from "../../parts/Field.tsx"
import { useProjectName } from "../../service/ProjectNames.ts"

export interface InboxFilter {
  readonly kind?: "failure" | "question" | "result"
  readonly whose?: "all"
  readonly project_id?: string
}

export const kindNames = { question: "Questions", failure: "Failed or stopped", result: "Results" } as const

const kinds = [
  { kind: undefined, name: "All kinds" },
  { kind: "question", name: kindNames.question },
  { kind: "failure", name: kindNames.failure },
  { kind: "result", name: kindNames.result }
] as const

const owners = [{ whose: undefined, name: "Mine" }, { whose: "all", name: "Everyone's" }] as const

const chosenLook = "aria-pressed:bg-raised aria-pressed:text-text"

/** For whom, of which kind and of which project. */
export const InboxFilters = ({ filter, onChange, projects }: {
  readonly filter: InboxFilter
  readonly onChange: (filter: InboxFilter) => void
  readonly projects: ReadonlyArray<string>
}) => {
  const projectName = useProjectName()
  const { kind: _, ...withoutKind } = filter
  const { whose: __, ...withoutOwner } = filter
  const { project_id, ...withoutProject } = filter
  return (
    <>
      <div role="group" aria-label="For whom" className="flex gap-1 rounded-md border">
        {owners.map(({ name, whose }) => (
          <Button
            key={name}
            size="small"
            kind="ghost"
            aria-pressed={filter.whose === whose}
            className={chosenLook}
            onClick={() => onChange(whose === undefined ? withoutOwner : { ...filter, whose })}
          >
            {name}
          </Button>
        ))}
      </div>
      <div role="group" aria-label="Kind" className="flex gap-1">
        {kinds.map(({ kind, name }) => (
          <Button
            key={name}
            size="small"
            kind="ghost"
            aria-pressed={filter.kind === kind}
            className={chosenLook}
            onClick={() => onChange(kind === undefined ? withoutKind : { ...filter, kind })}
          >
            {name}
          </Button>
        ))}
      </div>
      {(projects.length > 0 || project_id !== undefined) && (
        <div className="w-40">
          <select
            aria-label="Project"
            className={inputLook()}
            value={project_id ?? ""}
            onChange={({ target }) =>
              onChange(target.value === "" ? withoutProject : { ...filter, project_id: target.value })}
          >
            <option value="">All projects</option>
            {[...new Set([...projects, ...(project_id === undefined ? [] : [project_id])])].map((project) => (
              <option key={project} value={project}>{projectName(project)}</option>
            ))}
          </select>
        </div>
      )}
    </>
  )
}
