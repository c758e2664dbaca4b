import { useQuery } from "@tanstack/react-query"
import { FactList } from "../../parts/FactList.tsx"
import { Loaded } from "../../parts/Loaded.tsx"
import { numberText } from "../../parts/Numbers.ts"
import { Panel } from "../../parts/Panel.tsx"
import { plural } from "../../parts/Plural.ts"
import { sizeText } from "../../parts/Size.ts"
import { Time } from "../../parts/Time.tsx"
import { storageQuery } from "../../service/SystemQueries.ts"
import { SystemTable } from "./SystemTable.tsx"

/** How much is stored, and for how long. */
export const StoragePanel = () => {
  const query = useQuery(storageQuery)
  return (
    <Panel title="Storage">
      <Loaded name="storage" query={query}>
        {({ database_bytes, files_bytes, oldest_task, retention_days, tables }) => (
          <div className="flex flex-col gap-3">
            <FactList
              facts={{
                Database: sizeText(database_bytes),
                Files: sizeText(files_bytes),
                "Oldest task": oldest_task === null ? "None" : <Time at={oldest_task} />,
                Retention: retention_days === 0
                  ? "Finished tasks are kept. Set TASK_RETENTION_DAYS to delete them after so many days."
                  : `Finished tasks are deleted after ${plural(retention_days, "day")}.`
              }}
            />
            <details>
              <summary className="cursor-pointer text-muted">{plural(tables.length, "table")}</summary>
              <SystemTable
                label="Tables"
                headings={["Table", "Size with indexes", "Rows, about"]}
                rows={tables.map(({ bytes, name, rows }) => ({
                  key: name,
                  cells: [name, sizeText(bytes), numberText(rows)]
                }))}
              />
            </details>
          </div>
        )}
      </Loaded>
    </Panel>
  )
}
