import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import type { Channel } from "@troupe/client"
import { Badge } from "../../parts/Badge.tsx"
import { buttonLook } from "../../parts/Button.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Hash, Lock } from "../../parts/Icons.ts"
import { PagedTable } from "../../parts/PagedTable.tsx"
import { Screen } from "../../parts/Screen.tsx"
import { type Column, rowTargetLook } from "../../parts/Table.tsx"
import { Time } from "../../parts/Time.tsx"
import { channelsQuery } from "../../service/ChannelQueries.ts"
import { useMayOperate } from "../../service/Rights.ts"
import { versionQuery } from "../../service/SystemQueries.ts"
import { ChannelDetails } from "./ChannelDetails.tsx"
import { SyncButton } from "./SyncButton.tsx"

const route = getRouteApi("/channels")

const columns: ReadonlyArray<Column<Channel>> = [
  {
    name: "Channel",
    cell: ({ channel_id, is_private, name }) => {
      const Icon = is_private ? Lock : Hash
      return (
        <span className="flex items-center gap-1.5">
          <Icon aria-hidden className="size-4 shrink-0 text-muted" />
          <Link to="/channels" search={{ channel: channel_id }} replace className={`${rowTargetLook} truncate`}>
            {name}
          </Link>
          {is_private && <span className="sr-only">private</span>}
        </span>
      )
    }
  },
  {
    name: "Topic",
    className: "max-lg:hidden text-muted",
    cell: ({ purpose, topic }) => topic || purpose || "–"
  },
  { name: "People", className: "w-16 max-md:hidden text-right tabular-nums", cell: ({ member_count }) => member_count },
  {
    name: "State",
    className: "w-28",
    cell: ({ is_active, is_member }) =>
      !is_active
        ? <Badge>Archived</Badge>
        : is_member
        ? <Badge tone="good">Agent joined</Badge>
        : <Badge>Not invited</Badge>
  },
  {
    name: "Synced",
    className: "w-28 text-right text-muted max-sm:hidden",
    cell: ({ last_synced_at }) => last_synced_at === null ? "Never" : <Time at={last_synced_at} />
  }
]

/** What would be here, by whether the chat is set up. */
const NoChannels = () => {
  const { data: version } = useQuery(versionQuery)
  const mayOperate = useMayOperate()
  return version?.features["channels"] === false
    ? (
      <Empty icon={Hash} title="The team chat is not set up">
        <p>
          With a bot on your chat platform, people ask agents where they work already, and agents know who does what.
          {mayOperate === false && " The owner and admins connect it."}
        </p>
        {mayOperate === true && (
          <Link to="/settings" className={buttonLook({ kind: "primary", className: "mt-3" })}>
            Connect the team chat
          </Link>
        )}
      </Empty>
    )
    : (
      <Empty icon={Hash} title="No channels yet">
        <p>A sync finds the channels of the chat platform, and who is in them.</p>
        <div className="mt-3">
          <SyncButton />
        </div>
      </Empty>
    )
}

const ChannelsScreen = () => {
  const { channel: opened } = route.useSearch()
  const navigate = route.useNavigate()
  const channels = useInfiniteQuery(channelsQuery)
  const isEmpty = channels.data?.pages[0]?.items.length === 0
  return (
    <Screen title="Channels" actions={!isEmpty && <SyncButton />}>
      <PagedTable label="Channels" query={channels} columns={columns} empty={<NoChannels />} />
      {opened !== undefined && (
        <ChannelDetails
          id={opened}
          onClose={() => void navigate({ search: {}, replace: true })}
        />
      )}
    </Screen>
  )
}

export default ChannelsScreen
