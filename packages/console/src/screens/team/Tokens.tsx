import { useQuery } from "@tanstack/react-query"
import type { AccessToken, User } from "@troupe/client"
import { useState } from "react"
import { Button } from "../../parts/Button.tsx"
import { Delete } from "../../parts/Delete.tsx"
import { Plus } from "../../parts/Icons.ts"
import { Loaded } from "../../parts/Loaded.tsx"
import { Panel } from "../../parts/Panel.tsx"
import { Time } from "../../parts/Time.tsx"
import { tokensQuery, useRevokeToken } from "../../service/TokenQueries.ts"
import { roleNames } from "../people/PersonNames.ts"
import { NewToken } from "./NewToken.tsx"

const Row = ({ token: { created_at, expires_at, id, last_used_at, name, prefix, role } }: {
  readonly token: AccessToken
}) => {
  const revoke = useRevokeToken()
  return (
    <li className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1.5">
      <div className="min-w-0 flex-1">
        <p className="font-medium break-words">{name}</p>
        <p className="text-muted">
          <code>{prefix}…</code>, created <Time at={created_at} />, {last_used_at === null ? "never used" : (
            <>
              used <Time at={last_used_at} />
            </>
          )}
          {expires_at !== null && (
            <>
              , expires <Time at={expires_at} />
            </>
          )}
        </p>
      </div>
      <span className="w-28">{roleNames[role]}</span>
      <span className="w-8">
        <Delete noun="token" verb="Revoke" name={`the token ${name}`} change={revoke} input={id}>
          Programs that use <b className="break-words">{name}</b> are refused from now on.
        </Delete>
      </span>
    </li>
  )
}

/** The tokens of the one who works here, for programs. */
export const Tokens = ({ role }: { readonly role: User["role"] }) => {
  const tokens = useQuery(tokensQuery)
  const [isCreating, setIsCreating] = useState(false)
  return (
    <Panel
      title="Your tokens"
      actions={
        <Button size="small" onClick={() => setIsCreating(true)}>
          <Plus aria-hidden /> New token
        </Button>
      }
    >
      <Loaded name="tokens" query={tokens}>
        {(tokens) =>
          tokens.length === 0
            ? <p className="text-muted">None yet. With a token, scripts and other programs act as you.</p>
            : <ul className="-m-3 divide-y">{tokens.map((token) => <Row key={token.id} token={token} />)}</ul>}
      </Loaded>
      {isCreating && <NewToken role={role} onClose={() => setIsCreating(false)} />}
    </Panel>
  )
}
