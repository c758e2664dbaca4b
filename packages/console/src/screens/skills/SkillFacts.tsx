import { useQuery } from "@tanstack/react-query"
import type { SkillDetail } from "@troupe/client"
import { FactList } from "../../parts/FactList.tsx"
import { TriangleAlert } from "../../parts/Icons.ts"
import { Panel } from "../../parts/Panel.tsx"
import { Tags } from "../../parts/Tags.tsx"
import { Time } from "../../parts/Time.tsx"
import { requirementsQuery } from "../../service/SkillQueries.ts"
import { requirementKinds, requirementNames } from "./SkillForm.ts"

const kinds = requirementKinds.map((kind) => [kind, requirementNames[kind]] as const)

const Notes = ({ notes, title }: { readonly title: string; readonly notes: ReadonlyArray<string> }) => (
  <div className="flex items-start gap-2 rounded-md border border-wait/40 bg-wait-soft px-3 py-2">
    <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-wait" />
    <div className="min-w-0">
      <p className="font-medium">{title}</p>
      <ul>
        {notes.map((note) => <li key={note} className="break-words">{note}</li>)}
      </ul>
    </div>
  </div>
)

const changes: Readonly<Record<SkillDetail["tools"][number]["class"], string>> = {
  read: "only reads",
  own: "changes your files",
  outside: "has effects outside",
  destructive: "can destroy something"
}

const ScriptTools = ({ tools }: { readonly tools: SkillDetail["tools"] }) => (
  <section aria-labelledby="script-tools">
    <h3 id="script-tools" className="font-medium">Tools in every task</h3>
    <ul className="flex flex-col gap-2">
      {tools.map((tool) => (
        <li key={tool.name}>
          <code className="font-mono text-xs">{tool.name}</code>{" "}
          <span className="text-muted">({changes[tool.class]})</span>
          <p className="break-words">{tool.description}</p>
        </li>
      ))}
    </ul>
  </section>
)

/** What the skill needs and what this machine lacks of it, and where it is. */
export const SkillFacts = ({ skill }: { readonly skill: SkillDetail }) => {
  const { data: statuses } = useQuery(requirementsQuery)
  const missing = statuses?.find(({ name }) => name === skill.name)?.missing
  const lacks = kinds.filter(([kind]) => (missing?.[kind].length ?? 0) > 0)
  const required = kinds.filter(([kind]) => skill.requirements[kind].length > 0)
  return (
    <Panel title="About this skill">
      <div className="flex flex-col gap-3">
        {lacks.length > 0 && (
          <Notes
            title="Requirements are missing on this machine"
            notes={lacks.map(([kind, name]) => `${name}: ${missing?.[kind].join(", ")}`)}
          />
        )}
        {skill.warnings.length > 0 && <Notes title="The skill file has errors" notes={skill.warnings} />}
        <FactList
          facts={{
            Source: skill.source === "custom" ? "Your own" : "Built in",
            Tags: skill.tags.length === 0 ? "None" : <Tags names={skill.tags} />,
            Tools: skill.allowed_tools.length === 0 ? "Any" : <Tags names={skill.allowed_tools} />,
            ...Object.fromEntries(required.map(([kind, name]) => [name, skill.requirements[kind].join(", ")])),
            Requirements: required.length === 0 ? "None" : null,
            Scripts: skill.scripts.length === 0 ? null : <Tags names={skill.scripts} />,
            Author: skill.author,
            Version: skill.version,
            Changed: <Time at={skill.updated_at} />,
            File: <code className="font-mono text-xs break-all">{skill.path}</code>
          }}
        />
        {skill.tools.length > 0 && <ScriptTools tools={skill.tools} />}
      </div>
    </Panel>
  )
}
