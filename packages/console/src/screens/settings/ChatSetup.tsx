import type { Setting } from "@troupe/client"
import { CopyText } from "../../parts/CopyText.tsx"
import { Panel } from "../../parts/Panel.tsx"
import { serviceUrl } from "../../service/Address.ts"
import { chatAddresses, chatManifest } from "./ChatManifest.ts"

/** The steps that connect a chat platform, with what is pasted there. */
export const ChatSetup = ({ settings }: { readonly settings: ReadonlyArray<Setting> }) => {
  const publicUrl = (settings.find(({ name }) => name === "BACKEND_API_URL")?.value ?? serviceUrl).replace(/\/+$/, "")
  return (
    <Panel title="Connect Slack">
      <div className="flex flex-col gap-3">
        {!publicUrl.startsWith("https://") && (
          <p className="rounded-md bg-wait-soft px-3 py-2">
            Slack delivers to https addresses only. Set{" "}
            <code className="font-mono text-xs">BACKEND_API_URL</code>, the address that others reach this service at,
            in the environment or in .env.
          </p>
        )}
        <ol className="flex list-decimal flex-col gap-1 pl-5">
          <li>
            Create an app “from a manifest” at{" "}
            <a href="https://api.slack.com/apps" target="_blank" rel="noreferrer" className="text-accent underline">
              api.slack.com/apps
            </a>, and paste the manifest below.
          </li>
          <li>
            Install the app to the workspace. Copy its bot token (xoxb-…) and its signing secret into the form above.
          </li>
          <li>Test, and save. Then let Slack verify the address for events, in the settings of the app.</li>
          <li>Invite the bot to a channel, and mention it.</li>
        </ol>
        <details>
          <summary className="w-fit cursor-pointer font-medium">App manifest</summary>
          <div className="max-h-96 overflow-y-auto pt-2">
            <CopyText label="manifest" text={chatManifest(publicUrl)} />
          </div>
        </details>
        <p className="text-muted">
          The manifest has these addresses. An app that was made without it needs each of them:
        </p>
        {Object.entries(chatAddresses(publicUrl)).map(([name, address]) => (
          <div key={name} className="flex flex-col gap-1">
            <span className="font-medium">{name}</span>
            <CopyText label={`address of ${name.toLowerCase()}`} text={address} />
          </div>
        ))}
      </div>
    </Panel>
  )
}
