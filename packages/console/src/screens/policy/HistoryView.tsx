import { useInfiniteQuery } from "@tanstack/react-query"
import { Loaded } from "../../parts/Loaded.tsx"
import { MorePages } from "../../parts/MorePages.tsx"
import { Panel } from "../../parts/Panel.tsx"
import { Time } from "../../parts/Time.tsx"
import { policyRevisionsQuery } from "../../service/PolicyQueries.ts"
import { useNameOf } from "../../service/UserNames.ts"
import { PolicyDiff } from "./PolicyDiff.tsx"

const first = { preset: "balanced", rules: [], classes: {} } as const

/** Every saved revision with its author, and what it changed. */
export const HistoryView = () => {
  const query = useInfiniteQuery(policyRevisionsQuery)
  const nameOf = useNameOf()
  const revisions = query.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <Panel title="Revisions">
      <Loaded name="revisions" query={query}>
        {() =>
          revisions.length === 0 ?
            <p className="text-muted">No policy was saved yet: the preset balanced holds.</p> :
            (
              <ol aria-label="Revisions" className="-m-3 divide-y">
                {revisions.map((revision, at) => {
                  const before = revisions[at + 1] ?? (revision.revision === 1 ? first : undefined)
                  return (
                    <li key={revision.revision} className="flex flex-col gap-1.5 px-3 py-2">
                      <p>
                        <span className="font-medium">Revision {revision.revision}</span>{" "}
                        <span className="text-muted">
                          {revision.author === null ? "POLICY_FILE" : nameOf(revision.author)},{" "}
                          <Time at={revision.created_at} />
                        </span>
                      </p>
                      {before !== undefined && (
                        <PolicyDiff
                          before={before}
                          after={revision}
                          label={`What revision ${revision.revision} changed`}
                        />
                      )}
                    </li>
                  )
                })}
              </ol>
            )}
      </Loaded>
      <div className="mt-3 flex flex-col">
        <MorePages query={query}>Older revisions</MorePages>
      </div>
    </Panel>
  )
}
