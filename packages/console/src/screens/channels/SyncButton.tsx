import { useQuery } from "@tanstack/react-query"
import { toast } from "sonner"
import { Button } from "../../parts/Button.tsx"
import { RefreshCw } from "../../parts/Icons.ts"
import { plural } from "../../parts/Plural.ts"
import { problemText } from "../../parts/Problem.tsx"
import { useSync } from "../../service/ChannelQueries.ts"
import { useMayOperate } from "../../service/Rights.ts"
import { versionQuery } from "../../service/SystemQueries.ts"

/** Reads the chat platform again: one channel, or people and all channels. Members may not. */
export const SyncButton = ({ channel }: { readonly channel?: string }) => {
  const sync = useSync()
  const mayOperate = useMayOperate()
  const { data: version } = useQuery(versionQuery)
  const hasChat = version?.features["channels"] !== false
  const run = () =>
    sync.mutate(channel, {
      onSuccess: ({ created, deactivated, errors, synced, updated }) => {
        toast.success(channel === undefined ? `${plural(synced, "channel")} synced` : "Channel synced", {
          description: `${created} new, ${updated} changed, ${deactivated} archived.`
        })
        for (const { message, path } of errors) toast.error(path, { description: message, duration: 20_000 })
      },
      onError: (error) => toast.error("The sync failed", { description: problemText(error) })
    })
  return mayOperate !== true ? null : (
    <Button
      disabled={sync.isPending || !hasChat}
      title={hasChat ? undefined : "Team chat is not set up: set CHAT_BOT_TOKEN and CHAT_SIGNING_SECRET"}
      onClick={run}
    >
      <RefreshCw aria-hidden /> {sync.isPending ? "Syncing …" : channel === undefined ? "Sync all" : "Sync"}
    </Button>
  )
}
