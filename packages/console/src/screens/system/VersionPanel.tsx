import { useQuery } from "@tanstack/react-query"
import { FactList } from "../../parts/FactList.tsx"
import { Panel } from "../../parts/Panel.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { machineQuery, versionQuery } from "../../service/SystemQueries.ts"

const words = (name: string) => {
  const text = name.replaceAll("_", " ")
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

/** Which service this is, what it can do, and which programs its machine has. */
export const VersionPanel = () => {
  const version = useQuery(versionQuery)
  const machine = useQuery(machineQuery)
  const error = version.error ?? machine.error
  return (
    <div className="grid gap-4 md:grid-cols-2">
      {error !== null && <Problem error={error} title="The version could not be loaded" />}
      {version.data !== undefined && (
        <Panel title="Version and features">
          <FactList
            facts={{
              Version: version.data.version,
              "HTTP interface": version.data.api_version,
              Mode: version.data.deployment_mode === "hosted" ? "Hosted" : "Self-hosted",
              ...Object.fromEntries(
                Object.entries(version.data.features).map(([name, isOn]) => [words(name), isOn ? "On" : "Off"])
              )
            }}
          />
        </Panel>
      )}
      {machine.data !== undefined && (
        <Panel title="Machine">
          <FactList
            facts={{
              Platform: `${machine.data.platform}, ${machine.data.arch}`,
              ...Object.fromEntries(
                Object.entries(machine.data.tools).map(([name, { available, version }]) => [
                  name,
                  available ? version ?? "Installed" : "Not found; tool servers that start with it fail"
                ])
              )
            }}
          />
        </Panel>
      )}
    </div>
  )
}
