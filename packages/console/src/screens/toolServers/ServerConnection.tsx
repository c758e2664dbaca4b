import type { ToolServerState } from "@troupe/client"
import { Button } from "../../parts/Button.tsx"
import { Delete } from "../../parts/Delete.tsx"
import { Time } from "../../parts/Time.tsx"
import { useConnectServer, useForgetConnection } from "../../service/ToolServerQueries.ts"
import { useUserName } from "../../service/UserNames.ts"

const Forget = ({ name }: { readonly name: string }) => (
  <Delete noun="connection" label="Forget" change={useForgetConnection()} input={name}>
    The tokens for <b>{name}</b> are deleted. Tasks that call it wait until it is connected again.
  </Delete>
)

/** The sign-in at a server, and what can be done about it; nothing for a server that needs none. */
export const ServerConnection = ({ mayOperate, server: { connection = null, name, per_user = false, status } }: {
  readonly server: ToolServerState
  readonly mayOperate: boolean
}) => {
  const connect = useConnectServer()
  const by = useUserName(connection?.connected_by ?? null)
  if (connection === null && status !== "needs_sign_in") return null
  return (
    <section aria-label={`Sign-in at ${name}`} className="flex flex-col gap-2 rounded-md bg-raised px-3 py-2">
      {connection === null && <p>Its tools can be called after a sign-in.</p>}
      {connection !== null && (
        <p className="break-words">
          Signed in at {connection.issuer} by {by}, <Time at={connection.connected_at} />.
          {connection.scopes.length > 0 && <>{" "}Allows: {connection.scopes.join(", ")}.</>}
          {connection.expires_at !== null && (
            <>
              {" "}Expires: <Time at={connection.expires_at} />.
            </>
          )}
          {connection.last_refresh !== null && (
            <>
              {" "}Refreshed: <Time at={connection.last_refresh} />.
            </>
          )}
        </p>
      )}
      {connection !== null && connection.last_error !== null && (
        <p className="break-words text-bad">
          Last error, <Time at={connection.last_error.at} />: {connection.last_error.message}
        </p>
      )}
      {mayOperate || per_user
        ? (
          <div className="flex flex-wrap gap-2">
            <Button
              kind={status === "needs_sign_in" ? "primary" : "plain"}
              disabled={connect.isPending}
              onClick={() => connect.mutate(name)}
            >
              {connection === null ? "Connect" : "Reconnect"}
            </Button>
            {connection !== null && <Forget name={name} />}
          </div>
        )
        : <p className="text-muted">An owner or admin can connect it.</p>}
      {connect.error !== null && <p role="alert" className="text-bad">{connect.error.message}</p>}
    </section>
  )
}
