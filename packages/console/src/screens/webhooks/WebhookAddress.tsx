import { useState } from "react"
import { CopyText } from "../../parts/CopyText.tsx"
import { inputLook } from "../../parts/Field.tsx"
import { serviceUrl } from "../../service/Address.ts"

/** Where to post, and a line that tries it. */
export const WebhookAddress = () => {
  const [type, setType] = useState("my-service")
  const address = `${serviceUrl}/webhook/${encodeURIComponent(type)}`
  return (
    <details className="border-b bg-surface px-4 py-2">
      <summary className="w-fit font-medium">Address to post to</summary>
      <div className="flex max-w-3xl flex-col gap-2 pt-2 pb-1">
        <label className="flex w-64 max-w-full flex-col gap-1">
          <span className="text-muted">Type: any name for the sender</span>
          <input
            className={inputLook()}
            maxLength={128}
            value={type}
            onChange={({ target }) => setType(target.value)}
          />
        </label>
        <CopyText label="address" text={address} />
        <CopyText
          label="curl line"
          text={`curl -X POST '${address}' -H 'content-type: application/json' -d '{"message": "Hello"}'`}
        />
        <p className="text-xs text-muted">
          WEBHOOK_SECRET_{type.toUpperCase().replace(/[^A-Z0-9]/g, "_")}{" "}
          makes the service refuse deliveries without a signature. Unsigned deliveries from elsewhere make tasks with
          read-only tools.
        </p>
      </div>
    </details>
  )
}
