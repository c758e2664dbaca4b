import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { Button } from "../../parts/Button.tsx"
import { Field, Input } from "../../parts/Field.tsx"
import { sessionQuery } from "../../service/SessionQueries.ts"

/** Sends a mail to oneself by what is typed or in effect. */
export const MailTo = ({ error, isBusy, onSend }: {
  readonly isBusy: boolean
  readonly error: string | undefined
  readonly onSend: (address: string) => void
}) => {
  const own = useQuery(sessionQuery).data?.user.email ?? ""
  const [typed, setTyped] = useState<string>()
  const address = (typed ?? own).trim()
  return (
    <Field
      label="Send a mail to myself"
      hint="Where receiving is set, the service writes to itself, too, and reads that mail"
      error={error}
      aside={<Button size="small" disabled={isBusy || address === ""} onClick={() => onSend(address)}>Send it</Button>}
    >
      <Input
        type="email"
        placeholder="ada@example.org"
        value={typed ?? own}
        onChange={({ target }) => setTyped(target.value)}
      />
    </Field>
  )
}
