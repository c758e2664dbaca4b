import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { WebhookDeliveryContent } from "@troupe/client"
import { useState } from "react"
import { Button } from "../../parts/Button.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { Details } from "../../parts/Details.tsx"
import { FactList } from "../../parts/FactList.tsx"
import { RotateCcw } from "../../parts/Icons.ts"
import { JsonView } from "../../parts/JsonView.tsx"
import { sizeText } from "../../parts/Size.ts"
import { Time } from "../../parts/Time.tsx"
import { deliveryQuery, useReplayDelivery } from "../../service/WebhookQueries.ts"
import { DeliveryState, Unverified } from "./DeliveryState.tsx"

const Content = ({ delivery, onOpen }: {
  readonly delivery: WebhookDeliveryContent
  readonly onOpen: (id: string) => void
}) => {
  const [isAsking, setIsAsking] = useState(false)
  const replay = useReplayDelivery()
  const canReplay = delivery.source === "webhook" ? delivery.size !== null : delivery.state === "failed"
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span className="flex items-center gap-2">
          <DeliveryState state={delivery.state} />
          {!delivery.verified && <Unverified />}
        </span>
        <div className="flex flex-wrap items-center gap-2">
          {delivery.task_id !== null && (
            <Link
              to="/tasks/$taskId"
              params={{ taskId: delivery.task_id }}
              className="text-accent underline underline-offset-2"
            >
              Open its task
            </Link>
          )}
          <Button
            disabled={!canReplay || replay.isPending}
            title={canReplay ? "Makes a new task from the same payload" : "Its payload was deleted"}
            onClick={() => setIsAsking(true)}
          >
            <RotateCcw aria-hidden /> Replay
          </Button>
        </div>
      </div>
      {isAsking && (
        <Confirm
          title="Replay this delivery?"
          action="Replay it"
          error={replay.error}
          isPending={replay.isPending}
          onClose={() => setIsAsking(false)}
          onConfirm={() => replay.mutate(delivery.id, { onSuccess: () => setIsAsking(false) })}
        >
          <p>
            {delivery.source === "webhook" ? "A new task is made from the same payload." : "It is processed again."}
          </p>
        </Confirm>
      )}
      {replay.data !== undefined && replay.data.message_id !== delivery.id && (
        <p role="status" className="flex items-center gap-2">
          Replayed; a new delivery is queued.
          <Button
            size="small"
            onClick={() =>
              onOpen(replay.data.message_id)}
          >
            Open it
          </Button>
        </p>
      )}
      {delivery.error !== null && (
        <p className="rounded-md border border-bad/40 bg-bad-soft px-3 py-2 break-words">{delivery.error}</p>
      )}
      <FactList
        facts={{
          Address: <code className="font-mono text-xs break-all">{delivery.url}</code>,
          From: delivery.source_ip,
          "Sender’s id": delivery.delivery_id,
          "Content type": delivery.content_type,
          Size: delivery.size === null ? "Deleted" : sizeText(delivery.size),
          Attempts: delivery.attempts,
          Arrived: <Time at={delivery.received_at} />,
          "Next attempt": delivery.next_attempt_at === null ? null : <Time at={delivery.next_attempt_at} />,
          Ended: delivery.ended_at === null ? null : <Time at={delivery.ended_at} />,
          Id: <code className="font-mono text-xs break-all">{delivery.id}</code>
        }}
      />
      <section>
        <h3 className="mb-1 font-semibold">Payload</h3>
        {delivery.payload === null
          ? <p className="text-muted">There is none, or it was deleted with its task.</p>
          : <JsonView value={delivery.payload} />}
      </section>
      <section>
        <h3 className="mb-1 font-semibold">Headers</h3>
        <dl className="divide-y rounded-md border font-mono text-xs">
          {Object.entries(delivery.headers).map(([name, value]) => (
            <div key={name} className="grid gap-x-3 px-2 py-1 sm:grid-cols-[12rem_minmax(0,1fr)]">
              <dt className="text-muted">{name}</dt>
              <dd className="break-all">{value}</dd>
            </div>
          ))}
        </dl>
      </section>
    </div>
  )
}

/** What arrived, byte for byte, and what became of it. */
export const DeliveryDetails = ({ id, onClose, onOpen }: {
  readonly id: string
  readonly onClose: () => void
  /** Opens another delivery. */
  readonly onOpen: (id: string) => void
}) => (
  <Details
    name="delivery"
    titleOf={({ webhook_type }) => `Delivery ${webhook_type}`}
    query={useQuery(deliveryQuery(id))}
    onClose={onClose}
  >
    {(delivery) => <Content delivery={delivery} onOpen={onOpen} />}
  </Details>
)
