import { useNameOf } from "../../service/UserNames.ts"
import { filterText } from "./Filters.ts"

/** A filter in words, with the names of people: `Creator: Ann`. */
export const useFilterText = (): typeof filterText => {
  const nameOf = useNameOf()
  return (key, value) =>
    filterText(key, typeof value === "string" && (key === "creator" || key === "assignee") ? nameOf(value) : value)
}
