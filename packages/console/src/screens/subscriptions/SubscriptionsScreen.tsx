import { useInfiniteQuery } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import type { Subscription } from "@troupe/client"
import { useState } from "react"
import { Button } from "../../parts/Button.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Plus, Rss } from "../../parts/Icons.ts"
import { PagedTable } from "../../parts/PagedTable.tsx"
import { Screen } from "../../parts/Screen.tsx"
import { type Column, rowTargetLook } from "../../parts/Table.tsx"
import { Time } from "../../parts/Time.tsx"
import { subscriptionsQuery } from "../../service/SubscriptionQueries.ts"
import { UserName } from "../people/UserName.tsx"
import { EventState } from "./EventState.tsx"
import { NewSubscription } from "./NewSubscription.tsx"
import { SubscriptionDetails } from "./SubscriptionDetails.tsx"
import { SubscriptionState } from "./SubscriptionState.tsx"

const route = getRouteApi("/subscriptions")

const columns: ReadonlyArray<Column<Subscription>> = [
  {
    name: "Address",
    cell: ({ id, url }) => (
      <Link to="/subscriptions" search={{ subscription: id }} replace className={rowTargetLook}>{url}</Link>
    )
  },
  {
    name: "Events",
    className: "w-40 max-md:hidden text-muted",
    cell: ({ events, tasks }) => (
      <span title={events.join(", ")}>
        {events.length === 7 ? "All kinds" : `${events.length} of 7 kinds`}
        {tasks === "all" ? ", all tasks" : ""}
      </span>
    )
  },
  { name: "User", className: "w-32 max-lg:hidden text-muted", cell: ({ user_id }) => <UserName id={user_id} /> },
  {
    name: "Last event",
    className: "w-28 max-md:hidden",
    cell: ({ last_delivery }) =>
      last_delivery === null
        ? <span className="text-muted">None</span>
        : <EventState delivery={last_delivery} />
  },
  {
    name: "State",
    className: "w-32",
    cell: (subscription) => <SubscriptionState subscription={subscription} />
  },
  {
    name: "Added",
    className: "w-28 text-right text-muted max-sm:hidden",
    cell: ({ created_at }) => <Time at={created_at} />
  }
]

const SubscriptionsScreen = () => {
  const { subscription: opened } = route.useSearch()
  const navigate = route.useNavigate()
  const [isNew, setIsNew] = useState(false)
  const subscriptions = useInfiniteQuery(subscriptionsQuery)
  return (
    <Screen
      title="Subscriptions"
      actions={
        <Button kind="primary" onClick={() => setIsNew(true)}>
          <Plus aria-hidden /> New subscription
        </Button>
      }
    >
      <PagedTable
        label="Subscriptions"
        leavingAs="subscription"
        query={subscriptions}
        columns={columns}
        empty={
          <Empty icon={Rss} title="No subscriptions yet">
            <p>
              A subscription posts what happens to tasks (made, started, waiting, completed, failed) to an address of
              yours, signed by the Standard Webhooks scheme, so that other programs need not ask again and again.
            </p>
            <Button kind="primary" className="mt-3" onClick={() => setIsNew(true)}>Add a subscription</Button>
          </Empty>
        }
      />
      {isNew && <NewSubscription onClose={() => setIsNew(false)} />}
      {opened !== undefined && (
        <SubscriptionDetails
          id={opened}
          onClose={() => void navigate({ search: {}, replace: true })}
        />
      )}
    </Screen>
  )
}

export default SubscriptionsScreen
