import { useQuery } from "@tanstack/react-query"
import { webhookSchemes } from "@troupe/client/WebhookScheme"
import { type ReactNode, useState } from "react"
import { CopyText } from "../../parts/CopyText.tsx"
import { inputLook } from "../../parts/Field.tsx"
import { Loaded } from "../../parts/Loaded.tsx"
import { serviceUrl } from "../../service/Address.ts"
import { settingsQuery, versionQuery } from "../../service/SystemQueries.ts"
import { addressOf, curlOf, needOf, secretNameOf, type WebhookNeed } from "./WebhookNeeds.ts"

const Setting = ({ name }: { readonly name: string }) => <code className="font-mono text-xs break-all">{name}</code>

/** What a delivery must have, in words. */
const needText = (type: string, need: WebhookNeed): ReactNode => {
  const secret = <Setting name={secretNameOf(type)} />
  switch (need.kind) {
    case "signature":
      return (
        <>
          Each delivery needs a valid signature with {secret}, in{" "}
          {webhookSchemes[need.scheme].header}. It needs no token, and a token does not replace the signature.
        </>
      )
    case "token":
      return (
        <>
          Each delivery needs the token of a member, because this type has no secret. A sender without a token signs
          instead: set {secret} for the service, and the same secret at the sender.
        </>
      )
    case "nothing":
      return need.isLimited
        ? (
          <>
            Deliveries of this type need neither a signature nor a token, and are limited. With{" "}
            {secret}, each needs a signature.
          </>
        )
        : (
          <>
            Deliveries of this type need neither a signature nor a token; those from another machine make tasks with
            read-only tools. With {secret}, each needs a valid signature, and its task has all tools.
          </>
        )
  }
}

/** Where to post, what a delivery needs, and lines that try it. */
export const WebhookAddress = () => {
  const [type, setType] = useState("my-service")
  const [isOpen, setIsOpen] = useState(false)
  const version = useQuery({ ...versionQuery, enabled: isOpen })
  const settings = useQuery({ ...settingsQuery, enabled: isOpen })
  const address = addressOf(serviceUrl, type)
  return (
    <details
      className="max-h-[60dvh] overflow-y-auto border-b bg-surface px-4 py-2"
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
    >
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
        <Loaded name="version" query={version}>
          {({ deployment_mode: mode }) => (
            <Loaded name="settings" query={settings}>
              {(sections) => {
                const need = needOf(type, mode, sections)
                return (
                  <>
                    <p>{needText(type, need)}</p>
                    <CopyText label="curl line" text={curlOf(address, type, need)} />
                  </>
                )
              }}
            </Loaded>
          )}
        </Loaded>
      </div>
    </details>
  )
}
