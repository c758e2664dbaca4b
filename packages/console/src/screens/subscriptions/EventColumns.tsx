import { Link } from "@tanstack/react-router"
import type { SubscriptionDelivery } from "@troupe/client"
import { Button } from "../../parts/Button.tsx"
import { RotateCcw } from "../../parts/Icons.ts"
import { announced } from "../../parts/Outcome.ts"
import type { Column } from "../../parts/Table.tsx"
import { Time } from "../../parts/Time.tsx"
import { useReplayEvent } from "../../service/SubscriptionQueries.ts"
import { EventState } from "./EventState.tsx"

const Replay = ({ delivery, subscriptionId }: {
  readonly subscriptionId: string
  readonly delivery: SubscriptionDelivery
}) => {
  const replay = useReplayEvent(subscriptionId)
  return (
    <Button
      size="icon"
      kind="ghost"
      disabled={replay.isPending || delivery.state === "pending"}
      aria-label={`Replay ${delivery.event}`}
      title="Send it again with the same webhook-id"
      onClick={() => replay.mutate(delivery.id, announced("Queued once more", "It was not replayed"))}
    >
      <RotateCcw aria-hidden />
    </Button>
  )
}

/** What is shown of the events that were or will be posted. */
export const eventColumns = (subscriptionId: string): ReadonlyArray<Column<SubscriptionDelivery>> => [
  {
    name: "Event",
    cell: ({ event, last_error, task_id }) => (
      <>
        {task_id === null ? <code className="font-mono text-xs">{event}</code> : (
          <Link
            to="/tasks/$taskId"
            params={{ taskId: task_id }}
            className="font-mono text-xs text-accent hover:underline"
          >
            {event}
          </Link>
        )}
        {last_error !== null && (
          <span className="block text-xs break-words whitespace-normal text-bad">{last_error}</span>
        )}
      </>
    )
  },
  { name: "Attempts", className: "w-20 max-md:hidden tabular-nums", cell: ({ attempts }) => attempts },
  { name: "State", className: "w-24", cell: (delivery) => <EventState delivery={delivery} /> },
  { name: "Queued", className: "w-28 text-muted max-sm:hidden", cell: ({ created_at }) => <Time at={created_at} /> },
  {
    name: "Replay",
    className: "w-14 text-right",
    cell: (delivery) => <Replay subscriptionId={subscriptionId} delivery={delivery} />
  }
]
