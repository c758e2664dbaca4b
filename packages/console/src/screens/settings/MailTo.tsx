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
    <div className="flex items-end gap-2">
      <div className="min-w-0 flex-1 sm:max-w-sm">
        <Field
          label="Send a mail to myself"
          hint="Where receiving is set, the service writes to itself, too, and reads that mail"
          error={error}
        >
          <Input
            type="email"
            placeholder="ada@example.org"
            value={typed ?? own}
            onChange={({ target }) => setTyped(target.value)}
          />
        </Field>
      </div>
      <Button disabled={isBusy || address === ""} onClick={() => onSend(address)}>Send it</Button>
    </div>
  )
}
