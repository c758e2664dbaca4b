import { useInfiniteQuery } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import type { OutboxMessage } from "@troupe/client"
import { Button, buttonLook } from "../../parts/Button.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { inputLook } from "../../parts/Field.tsx"
import { ForOperators } from "../../parts/ForOperators.tsx"
import { RefreshCw, RotateCcw, Send } from "../../parts/Icons.ts"
import { announced } from "../../parts/Outcome.ts"
import { PagedTable } from "../../parts/PagedTable.tsx"
import { plural } from "../../parts/Plural.ts"
import { Screen } from "../../parts/Screen.tsx"
import { StateTabs } from "../../parts/StateTabs.tsx"
import { aboveRowLook, type Column, rowTargetLook } from "../../parts/Table.tsx"
import { Time, useClock } from "../../parts/Time.tsx"
import { outboxQuery, useRetryMessage } from "../../service/OutboxQueries.ts"
import { useRecipientName } from "../../service/RecipientNames.ts"
import { defined } from "../../service/SearchParams.ts"
import { channelName, channelOf, channels } from "../../service/Ways.ts"
import { OutboxState, outboxStates } from "./OutboxState.tsx"

const route = getRouteApi("/outbox")

/** By the name, where the address is of somebody who is known. */
const Recipient = ({ address }: { readonly address: string }) => <>{useRecipientName()(address) ?? address}</>

const Retry = ({ message }: { readonly message: OutboxMessage }) => {
  const retry = useRetryMessage()
  return (
    <Button
      size="small"
      className={aboveRowLook}
      disabled={retry.isPending}
      aria-label={`Send again to ${message.recipient}`}
      title="Send it again. It may arrive twice"
      onClick={() => retry.mutate(message.id, announced("Queued again", "It was not queued again"))}
    >
      <RotateCcw aria-hidden /> Retry
    </Button>
  )
}

const Attempts = ({ message: { attempts, next_attempt_at } }: { readonly message: OutboxMessage }) => {
  const isLater = useClock((now) => next_attempt_at !== null && Date.parse(next_attempt_at) > now)
  return (
    <span className="tabular-nums">
      {plural(attempts, "attempt")}
      {next_attempt_at !== null && (
        <span className="text-muted">
          {isLater
            ? (
              <>
                , next <Time at={next_attempt_at} />
              </>
            )
            : (
              <span title="It is due. Messages to one recipient are sent in their order, so an earlier one delays it.">
                , waits its turn
              </span>
            )}
        </span>
      )}
    </span>
  )
}

const columns: ReadonlyArray<Column<OutboxMessage>> = [
  {
    name: "Recipient",
    cell: (message) => {
      const { channel, created_at, kind, last_error, recipient, task_id } = message
      return (
        <>
          <span className="block truncate font-medium" title={recipient}>
            {task_id === null ?
              <Recipient address={recipient} /> :
              (
                <Link to="/tasks/$taskId" params={{ taskId: task_id }} className={rowTargetLook}>
                  <Recipient address={recipient} />
                </Link>
              )}
          </span>
          <span className="block truncate text-xs text-muted">
            {channelName(channel)}, {kind.replaceAll("_", " ")}
          </span>
          {last_error !== null && (
            <span className="block text-xs break-words whitespace-normal text-bad">{last_error}</span>
          )}
          <span className="block truncate text-xs text-muted lg:hidden">
            <Attempts message={message} />
            <span className="sm:hidden">
              , created <Time at={created_at} />
            </span>
          </span>
        </>
      )
    }
  },
  {
    name: "Task",
    className: "w-28 max-md:hidden",
    cell: ({ task_id }) =>
      task_id === null ?
        <span className="text-muted">–</span> :
        (
          <Link
            to="/tasks/$taskId"
            params={{ taskId: task_id }}
            className={`${aboveRowLook} text-accent hover:underline`}
          >
            Open the task
          </Link>
        )
  },
  {
    name: "Attempts",
    className: "w-48 max-lg:hidden",
    cell: (message) => <Attempts message={message} />
  },
  {
    name: "State",
    className: "w-28",
    cell: (message) => (
      <span className="flex flex-col items-start gap-1">
        <OutboxState state={message.state} />
        {message.state === "failed" && <Retry message={message} />}
      </span>
    )
  },
  {
    name: "Created",
    className: "w-28 text-right text-muted max-sm:hidden",
    cell: ({ created_at }) => <Time at={created_at} />
  }
]

const Outbox = () => {
  const filter = route.useSearch()
  const navigate = route.useNavigate()
  const messages = useInfiniteQuery(outboxQuery(filter))
  const set = (change: { readonly [K in keyof typeof filter]?: (typeof filter)[K] | undefined }) =>
    void navigate({ search: defined({ ...filter, ...change }), replace: true })
  const isFiltered = Object.keys(filter).length > 0
  return (
    <Screen
      title="Outbox"
      actions={
        <>
          <select
            aria-label="Channel"
            className={inputLook("w-36")}
            value={filter.channel ?? ""}
            onChange={({ target }) => set({ channel: channelOf(target.value) })}
          >
            <option value="">All channels</option>
            {channels.map((channel) => <option key={channel} value={channel}>{channelName(channel)}</option>)}
          </select>
          <Button onClick={() => void messages.refetch()}>
            <RefreshCw aria-hidden /> Refresh
          </Button>
        </>
      }
      tabs={
        <StateTabs
          names={outboxStates}
          current={filter.state}
          onChange={(state) => set({ state })}
        />
      }
    >
      <PagedTable
        label="Messages"
        query={messages}
        columns={columns}
        empty={
          <Empty icon={Send} title={isFiltered ? "No message matches" : "Nothing was sent in the last 30 days"}>
            {isFiltered
              ? <Button onClick={() => void navigate({ search: {} })}>Show all</Button>
              : (
                <>
                  <p>
                    Notifications, answers by mail and chat, and posts to subscriptions leave through the outbox. What
                    can’t be delivered stays here as a dead letter, with the reason, until you retry it.
                  </p>
                  <Link
                    to="/settings"
                    search={{ view: "mail" }}
                    className={buttonLook({ kind: "primary", className: "mt-3" })}
                  >
                    Connect mail
                  </Link>
                </>
              )}
          </Empty>
        }
      />
    </Screen>
  )
}

const OutboxScreen = () => (
  <ForOperators title="Outbox" what="see and retry the messages that leave the service">
    <Outbox />
  </ForOperators>
)

export default OutboxScreen
