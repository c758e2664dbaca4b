import { useProjectName } from "../../service/ProjectNames.ts"
import { useNameOf } from "../../service/UserNames.ts"
import { filterText } from "./Filters.ts"

/** A filter in words, with the names of people: `Creator: Ann`. */
export const useFilterText = (): typeof filterText => {
  const nameOf = useNameOf()
  const projectName = useProjectName()
  return (key, value) =>
    filterText(
      key,
      typeof value !== "string"
        ? value
        : key === "creator" || key === "assignee"
        ? nameOf(value)
        : key === "project_id"
        ? projectName(value)
        : value
    )
}
