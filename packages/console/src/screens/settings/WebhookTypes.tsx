import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { Badge } from "../../parts/Badge.tsx"
import { Button } from "../../parts/Button.tsx"
import { CopyText } from "../../parts/CopyText.tsx"
import { Delete } from "../../parts/Delete.tsx"
import { FactList } from "../../parts/FactList.tsx"
import { HealthBadge } from "../../parts/HealthBadge.tsx"
import { Pencil, Plus } from "../../parts/Icons.ts"
import { Loaded } from "../../parts/Loaded.tsx"
import { Panel } from "../../parts/Panel.tsx"
import { Time } from "../../parts/Time.tsx"
import { useRemoveType, webhookTypesQuery } from "../../service/SettingQueries.ts"
import { WebhookTypeForm } from "./WebhookTypeForm.tsx"

/** The types of webhooks that are configured or arrived: what each needs, and who works on it. */
export const WebhookTypes = () => {
  const types = useQuery(webhookTypesQuery)
  const remove = useRemoveType()
  const [isNew, setIsNew] = useState(false)
  const [changed, setChanged] = useState<string>()
  const given = types.data?.find(({ type }) => type === changed)
  return (
    <Panel
      title="Webhook types"
      actions={
        <Button size="small" onClick={() => setIsNew(true)}>
          <Plus aria-hidden /> Add a type
        </Button>
      }
    >
      <Loaded name="webhook types" query={types}>
        {(all) =>
          all.length === 0
            ? (
              <p className="text-muted">
                No type is set up, and none has arrived. Add one for each sender: it gets an address, and a secret that
                proves who sent a webhook.
              </p>
            )
            : (
              <ul className="-mx-3 -my-3 divide-y">
                {all.map(({ address, agent, has_secret, health, last_delivery_at, scheme, trusted, type }) => (
                  <li key={type} className="flex flex-col gap-2 p-3">
                    <span className="flex flex-wrap items-center justify-between gap-2">
                      <h3 className="flex flex-wrap items-center gap-2 font-medium break-all">
                        {type}
                        <Badge tone={has_secret ? "good" : "muted"}>{has_secret ? "Signed" : "No secret"}</Badge>
                        <HealthBadge health={health} />
                      </h3>
                      <span className="flex items-center gap-2">
                        <Button
                          size="small"
                          aria-label={`Change ${type}`}
                          onClick={() =>
                            setChanged(type)}
                        >
                          <Pencil aria-hidden /> Change
                        </Button>
                        <Delete noun="webhook type" verb="Remove" name={type} change={remove} input={type}>
                          What is set for <b>{type}</b>{" "}
                          is removed, with its secret. Its deliveries and tasks stay, and further webhooks are handled
                          as those of an unknown type.
                        </Delete>
                      </span>
                    </span>
                    <CopyText label={`address of ${type}`} text={address} />
                    <FactList
                      facts={{
                        Scheme: has_secret ? scheme : null,
                        Agent: agent ?? "The usual one",
                        Unsigned: has_secret
                          ? "Refused"
                          : trusted
                          ? "Tasks have all tools"
                          : "Tasks of other machines have tools that only read",
                        "Last delivery": last_delivery_at === null ?
                          "None is kept" :
                          (
                            <Link to="/webhooks" search={{ type }} className="text-accent hover:underline">
                              <Time at={last_delivery_at} />
                            </Link>
                          )
                      }}
                    />
                  </li>
                ))}
              </ul>
            )}
      </Loaded>
      {isNew && <WebhookTypeForm onClose={() => setIsNew(false)} />}
      {given !== undefined && <WebhookTypeForm given={given} onClose={() => setChanged(undefined)} />}
    </Panel>
  )
}
