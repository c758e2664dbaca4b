import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import type { Subscription } from "@troupe/client"
import { Button } from "../../parts/Button.tsx"
import { DeleteLater } from "../../parts/DeleteLater.tsx"
import { Details } from "../../parts/Details.tsx"
import { FactList } from "../../parts/FactList.tsx"
import { FlaskConical, Play } from "../../parts/Icons.ts"
import { announced } from "../../parts/Outcome.ts"
import { PagedTable } from "../../parts/PagedTable.tsx"
import { Time } from "../../parts/Time.tsx"
import {
  subscriptionDeliveriesQuery,
  subscriptionQuery,
  useRemoveSubscription,
  useResumeSubscription,
  useTestSubscription
} from "../../service/SubscriptionQueries.ts"
import { UserName } from "../people/UserName.tsx"
import { eventColumns } from "./EventColumns.tsx"
import { SubscriptionState } from "./SubscriptionState.tsx"

const Actions = ({ onClose, subscription: { active, id } }: {
  readonly subscription: Subscription
  readonly onClose: () => void
}) => {
  const test = useTestSubscription()
  const resume = useResumeSubscription()
  const remove = useRemoveSubscription()
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        disabled={test.isPending}
        onClick={() => test.mutate(id, announced("A test event is queued", "No test event was sent"))}
      >
        <FlaskConical aria-hidden /> Send a test
      </Button>
      {!active && (
        <Button
          disabled={resume.isPending}
          onClick={() => resume.mutate(id, announced("The subscription is active", "It was not resumed"))}
        >
          <Play aria-hidden /> Resume
        </Button>
      )}
      <DeleteLater
        id={`subscription.${id}`}
        name="the subscription"
        text="Delete"
        send={() => remove.mutateAsync(id)}
        onLeave={onClose}
      />
    </div>
  )
}

const Content = ({ onClose, subscription }: {
  readonly subscription: Subscription
  readonly onClose: () => void
}) => {
  const deliveries = useInfiniteQuery(subscriptionDeliveriesQuery(subscription.id))
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <SubscriptionState subscription={subscription} />
        <Actions subscription={subscription} onClose={onClose} />
      </div>
      {subscription.disabled_reason !== null && (
        <p className="rounded-md border border-bad/40 bg-bad-soft px-3 py-2 break-words">
          {subscription.disabled_reason}
        </p>
      )}
      <FactList
        facts={{
          Address: <span className="break-all">{subscription.url}</span>,
          Events: subscription.events.join(", "),
          Tasks: subscription.tasks === "all" ? "Of everybody" : "Created by or assigned to the user",
          User: <UserName id={subscription.user_id} />,
          "Oldest queued": subscription.oldest_pending_at === null
            ? null
            : <Time at={subscription.oldest_pending_at} />,
          Added: <Time at={subscription.created_at} />
        }}
      />
      <section>
        <h3 className="mb-1 font-semibold">Deliveries of the last 30 days</h3>
        <div className="overflow-hidden rounded-md border [&_tbody_tr:last-child]:border-b-0">
          <PagedTable
            label="Deliveries"
            query={deliveries}
            columns={eventColumns(subscription.id)}
            empty={<p className="p-3 text-muted">None yet. “Send a test” posts one now.</p>}
          />
        </div>
      </section>
    </div>
  )
}

/** All about one subscription, and what was posted. */
export const SubscriptionDetails = ({ id, onClose }: { readonly id: string; readonly onClose: () => void }) => (
  <Details name="subscription" query={useQuery(subscriptionQuery(id))} onClose={onClose}>
    {(subscription) => <Content subscription={subscription} onClose={onClose} />}
  </Details>
)
