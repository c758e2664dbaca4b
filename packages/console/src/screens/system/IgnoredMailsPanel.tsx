import { useQuery } from "@tanstack/react-query"
import type { IgnoredMail } from "@troupe/client"
import { Badge } from "../../parts/Badge.tsx"
import { Loaded } from "../../parts/Loaded.tsx"
import { Panel } from "../../parts/Panel.tsx"
import { Time } from "../../parts/Time.tsx"
import { ignoredMailsQuery } from "../../service/SystemQueries.ts"
import { SystemTable } from "./SystemTable.tsx"

const reasons: Readonly<Record<IgnoredMail["reason"], string>> = {
  automatic: "Automatic",
  report: "Bounce or receipt",
  list: "Mailing list",
  own: "Own mail",
  no_sender: "No single sender",
  unauthenticated: "Not authenticated",
  unknown_sender: "Unknown sender",
  not_allowed: "Not allowed",
  duplicate: "Duplicate",
  empty: "Empty",
  unreadable: "Unreadable",
  failed: "Failed",
  too_old: "Too old",
  deleted: "Deleted"
}

const Missing = () => <span className="text-muted">None</span>

/** The mails of the inbox that became no task and no message to one. */
export const IgnoredMailsPanel = () => {
  const query = useQuery(ignoredMailsQuery)
  return (
    <Panel title="Ignored mail">
      <Loaded name="mails" query={query}>
        {(mails) =>
          mails.length === 0 ?
            <p className="text-muted">No mail of the inbox was left out.</p> :
            (
              <div className="-m-3 max-h-96 overflow-y-auto p-3">
                <SystemTable
                  label="Ignored mail"
                  headings={["Received", "From", "Subject", "Reason"]}
                  rows={mails.map(({ detail, from, id, mailbox, message_id, reason, received_at, subject }) => ({
                    key: id,
                    cells: [
                      <span key="at" title={`In ${mailbox}`}>
                        <Time at={received_at} className="whitespace-nowrap" />
                      </span>,
                      <span key="from" className="break-words">{from ?? <Missing />}</span>,
                      <span key="subject" title={message_id ?? "No Message-ID"} className="break-words">
                        {subject ?? <Missing />}
                      </span>,
                      <span key="reason">
                        <Badge tone="muted">{reasons[reason]}</Badge> <span className="break-words">{detail}</span>
                      </span>
                    ]
                  }))}
                />
              </div>
            )}
      </Loaded>
    </Panel>
  )
}
