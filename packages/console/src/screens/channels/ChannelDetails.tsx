import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { Channel } from "@troupe/client"
import { Badge } from "../../parts/Badge.tsx"
import { Details } from "../../parts/Details.tsx"
import { FactList } from "../../parts/FactList.tsx"
import { PagedTable } from "../../parts/PagedTable.tsx"
import { RichText } from "../../parts/RichText.tsx"
import { Time } from "../../parts/Time.tsx"
import { channelMembersQuery, channelQuery } from "../../service/ChannelQueries.ts"
import { Membership } from "./Membership.tsx"
import { SyncButton } from "./SyncButton.tsx"

const Content = ({ channel }: { readonly channel: Channel }) => {
  const members = useInfiniteQuery(channelMembersQuery(channel.channel_id))
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span className="flex flex-wrap gap-2">
          {channel.is_active
            ? (
              <Badge tone={channel.is_member ? "good" : "muted"}>
                {channel.is_member ? "Agent joined" : "Not invited"}
              </Badge>
            )
            : <Badge>Archived</Badge>}
          {channel.is_private && <Badge>Private</Badge>}
        </span>
        <SyncButton channel={channel.channel_id} />
      </div>
      <section>
        <h3 className="mb-1 font-semibold">Summary</h3>
        {channel.summary === null
          ? (
            <p className="text-muted">
              None yet. The agent writes one from what is said in a channel to which it was invited.
            </p>
          )
          : <RichText text={channel.summary} />}
      </section>
      <FactList
        facts={{
          Topic: channel.topic || null,
          Purpose: channel.purpose || null,
          Project: channel.project_id === null ?
            "Made when the agent is invited" :
            (
              <Link to="/tasks" search={{ project_id: channel.project_id }} className="text-accent underline">
                #{channel.name}
              </Link>
            ),
          Folder: channel.project_path === null
            ? null
            : <code className="font-mono text-xs break-all">{channel.project_path}</code>,
          Synced: channel.last_synced_at === null ? "Never" : <Time at={channel.last_synced_at} />,
          "Chat id": <code className="font-mono text-xs">{channel.channel_id}</code>
        }}
      />
      <section>
        <h3 className="font-semibold">Who is in it</h3>
        <p className="mb-1 text-muted">What they do here is in the prompts of the agents that work for this channel.</p>
        <div className="overflow-hidden rounded-md border [&_tbody_tr:last-child]:border-b-0">
          <PagedTable
            label="Members"
            query={members}
            columns={[{
              name: "Person, role and responsibilities",
              className: "whitespace-normal",
              cell: (member) => <Membership member={member} />
            }]}
            empty={<p className="p-3 text-muted">The last sync found nobody.</p>}
          />
        </div>
      </section>
    </div>
  )
}

/** A channel, what was said in it, and who does what there. */
export const ChannelDetails = ({ id, onClose }: { readonly id: string; readonly onClose: () => void }) => (
  <Details
    name="channel"
    titleOf={({ name }) => `#${name}`}
    query={useQuery(channelQuery(id))}
    onClose={onClose}
  >
    {(channel) => <Content channel={channel} />}
  </Details>
)
