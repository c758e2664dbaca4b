import { useQuery } from "@tanstack/react-query"
import type { PolicyTool } from "@troupe/client"
import { useState } from "react"
import { Badge } from "../../parts/Badge.tsx"
import { Button } from "../../parts/Button.tsx"
import { inputLook } from "../../parts/Field.tsx"
import { Form } from "../../parts/Form.tsx"
import { Trash2 } from "../../parts/Icons.ts"
import { Loaded } from "../../parts/Loaded.tsx"
import { Panel } from "../../parts/Panel.tsx"
import { policyToolsQuery } from "../../service/PolicyQueries.ts"
import { SystemTable } from "../system/SystemTable.tsx"
import type { Draft } from "./PolicyContent.ts"
import type { PolicyEditing } from "./PolicyDraft.ts"
import { choices } from "./RuleFields.ts"

type ToolClass = PolicyTool["class"]

const isClass = (text: string): text is ToolClass => choices.class.some((one) => one === text)

const meanings: Readonly<Record<ToolClass, string>> = {
  read: "Changes nothing",
  own: "Changes the person's own files and memories",
  outside: "Changes something else",
  destructive: "Changes it so that it can't be undone"
}

const ClassBadge = ({ of }: { readonly of: ToolClass }) => (
  <Badge tone={of === "destructive" ? "bad" : of === "outside" ? "wait" : "muted"} title={meanings[of]}>{of}</Badge>
)

const from: Readonly<Record<PolicyTool["class_from"], string>> = {
  built_in: "Built in",
  skill: "Stated by the skill",
  hints: "Hints of the server",
  admin: "Set here"
}

const without = (classes: Draft["classes"], name: string): Draft["classes"] =>
  Object.fromEntries(Object.entries(classes).filter(([glob]) => glob !== name))

/** A pattern of names with the class that it gives. */
const AddClass = ({ onAdd }: { readonly onAdd: (glob: string, ofTool: ToolClass) => void }) => {
  const [glob, setGlob] = useState("")
  const [ofTool, setOfTool] = useState<ToolClass>("read")
  const add = () => {
    if (glob.trim() === "") return
    onAdd(glob.trim(), ofTool)
    setGlob("")
  }
  return (
    <Form onSubmit={add} className="flex flex-wrap items-center gap-2">
      <input
        aria-label="Tools, as a pattern of their names"
        placeholder="github__get_*"
        spellCheck={false}
        autoComplete="off"
        className={inputLook("min-w-40 flex-1 font-mono")}
        value={glob}
        onChange={({ target }) => setGlob(target.value)}
      />
      <select
        aria-label="Their class"
        className={inputLook("w-auto")}
        value={ofTool}
        onChange={({ target }) => isClass(target.value) && setOfTool(target.value)}
      >
        {choices.class.map((one) => <option key={one} value={one}>{one}</option>)}
      </select>
      <Button type="submit" disabled={glob.trim() === ""}>Set the class</Button>
    </Form>
  )
}

/** What each tool changes, who says so, and the classes that are given here. */
export const ClassesView = ({ editing: { change, policy: { classes } }, mayChange }: {
  readonly editing: PolicyEditing
  readonly mayChange: boolean
}) => {
  const query = useQuery(policyToolsQuery)
  const given = Object.entries(classes)
  const choose = (name: string, chosen: string) =>
    change({ classes: isClass(chosen) ? { ...classes, [name]: chosen } : without(classes, name) })
  const chooser = ({ name }: PolicyTool) => (
    <select
      aria-label={`Class of ${name}`}
      className={inputLook("w-auto")}
      value={classes[name] ?? ""}
      onChange={({ target }) => choose(name, target.value)}
    >
      <option value="">not set</option>
      {choices.class.map((one) => <option key={one} value={one}>{one}</option>)}
    </select>
  )
  return (
    <>
      <Panel title="Classes that are set here">
        <div className="flex flex-col gap-3">
          <p className="text-muted">
            A class says what a tool changes. Those of tool servers follow from the hints that were accepted, unless one
            is set here; of several patterns that fit a name, the longest decides.
          </p>
          {given.length > 0 && (
            <ul aria-label="Classes that are set here" className="divide-y border-y">
              {given.map(([glob, ofTool]) => (
                <li key={glob} className="flex items-center gap-2 py-1">
                  <span className="min-w-0 flex-1 font-mono text-xs break-all">{glob}</span>
                  <ClassBadge of={ofTool} />
                  {mayChange && (
                    <Button
                      kind="ghost"
                      size="icon"
                      aria-label={`Delete the class of ${glob}`}
                      title="Delete"
                      onClick={() => change({ classes: without(classes, glob) })}
                    >
                      <Trash2 aria-hidden />
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          )}
          {mayChange && <AddClass onAdd={(glob, ofTool) => change({ classes: { ...classes, [glob]: ofTool } })} />}
        </div>
      </Panel>
      <Panel title="Tools">
        <Loaded name="tools" query={query}>
          {(tools) => (
            <SystemTable
              label="Classes of the tools"
              headings={["Tool", "Class", ...(mayChange ? ["Set"] : [])]}
              rows={tools.map((tool) => ({
                key: tool.name,
                cells: [
                  <span className="inline-block min-w-28 font-mono text-xs break-all">{tool.name}</span>,
                  <span className="flex flex-wrap items-center gap-x-2">
                    <ClassBadge of={tool.server === null ? tool.class : classes[tool.name] ?? tool.class} />
                    <span className="text-xs text-muted">{from[tool.class_from]}</span>
                  </span>,
                  ...(mayChange ? [tool.server === null ? "" : chooser(tool)] : [])
                ]
              }))}
            />
          )}
        </Loaded>
      </Panel>
    </>
  )
}
