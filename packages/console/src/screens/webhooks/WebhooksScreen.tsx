import { useInfiniteQuery } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import type { WebhookDelivery } from "@troupe/client"
import { Button, buttonLook } from "../../parts/Button.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { ForOperators } from "../../parts/ForOperators.tsx"
import { RefreshCw, Webhook, X } from "../../parts/Icons.ts"
import { PagedTable } from "../../parts/PagedTable.tsx"
import { Screen } from "../../parts/Screen.tsx"
import { StateTabs } from "../../parts/StateTabs.tsx"
import { aboveRowLook, type Column, rowTargetLook } from "../../parts/Table.tsx"
import { Time } from "../../parts/Time.tsx"
import { defined } from "../../service/SearchParams.ts"
import { deliveriesQuery } from "../../service/WebhookQueries.ts"
import { DeliveryDetails } from "./DeliveryDetails.tsx"
import { DeliveryState, deliveryStates, Unverified } from "./DeliveryState.tsx"
import { WebhookAddress } from "./WebhookAddress.tsx"

const route = getRouteApi("/webhooks")

const Webhooks = () => {
  const { delivery: opened, ...filter } = route.useSearch()
  const navigate = route.useNavigate()
  const deliveries = useInfiniteQuery(deliveriesQuery(filter))
  const columns: ReadonlyArray<Column<WebhookDelivery>> = [
    {
      name: "Type",
      cell: ({ beginning, delivery_id, id, verified, webhook_type }) => (
        <span className="flex items-baseline gap-2">
          <Link to="/webhooks" search={{ ...filter, delivery: id }} replace className={rowTargetLook}>
            {webhook_type}
          </Link>
          {!verified && <Unverified />}
          <span className="truncate text-xs text-muted" title={delivery_id ?? undefined}>
            {beginning ?? delivery_id}
          </span>
        </span>
      )
    },
    {
      name: "Task",
      className: "w-44 max-md:hidden",
      cell: ({ error, task_id }) =>
        task_id === null
          ? <span className="text-muted" title={error ?? undefined}>{error ?? "–"}</span>
          : (
            <Link
              to="/tasks/$taskId"
              params={{ taskId: task_id }}
              className={`${aboveRowLook} text-accent hover:underline`}
            >
              Open the task
            </Link>
          )
    },
    { name: "From", className: "w-36 max-lg:hidden text-muted", cell: ({ source_ip }) => source_ip ?? "–" },
    { name: "Attempts", className: "w-20 max-lg:hidden text-right tabular-nums", cell: ({ attempts }) => attempts },
    { name: "State", className: "w-24", cell: ({ state }) => <DeliveryState state={state} /> },
    { name: "Arrived", className: "w-28 text-right text-muted", cell: ({ received_at }) => <Time at={received_at} /> }
  ]
  const isFiltered = Object.keys(filter).length > 0
  return (
    <Screen
      title="Webhooks"
      actions={
        <>
          {filter.type !== undefined && (
            <Button
              size="small"
              title="Remove this filter"
              onClick={() => void navigate({ search: defined({ ...filter, type: undefined }) })}
            >
              Type: {filter.type} <X aria-hidden />
            </Button>
          )}
          <Link to="/settings" search={{ view: "webhooks" }} className={buttonLook()}>Set up types</Link>
          <Button onClick={() => void deliveries.refetch()}>
            <RefreshCw aria-hidden /> Refresh
          </Button>
        </>
      }
      tabs={
        <>
          <WebhookAddress />
          <StateTabs
            names={deliveryStates}
            current={filter.state}
            onChange={(state) => void navigate({ search: defined({ ...filter, state }), replace: true })}
          />
        </>
      }
    >
      <PagedTable
        label="Deliveries"
        query={deliveries}
        columns={columns}
        empty={
          <Empty icon={Webhook} title={isFiltered ? "No delivery matches" : "No webhook has arrived yet"}>
            {isFiltered
              ? <Button onClick={() => void navigate({ search: {} })}>Show all</Button>
              : (
                <>
                  <p>
                    Any service can start a task: let it post to the address above. Each delivery is kept here with its
                    headers and payload, and can be replayed.
                  </p>
                  <Link
                    to="/settings"
                    search={{ view: "webhooks" }}
                    className={buttonLook({ kind: "primary", className: "mt-3" })}
                  >
                    Set up a webhook type
                  </Link>
                </>
              )}
          </Empty>
        }
      />
      {opened !== undefined && (
        <DeliveryDetails
          key={opened}
          id={opened}
          onOpen={(id) => void navigate({ search: { ...filter, delivery: id }, replace: true })}
          onClose={() => void navigate({ search: filter, replace: true })}
        />
      )}
    </Screen>
  )
}

const WebhooksScreen = () => (
  <ForOperators title="Webhooks" what="see and replay what webhooks have sent">
    <Webhooks />
  </ForOperators>
)

export default WebhooksScreen
