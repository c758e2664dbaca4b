import { useQuery } from "@tanstack/react-query"
import { toast } from "sonner"
import { Button } from "../parts/Button.tsx"
import { LogOut } from "../parts/Icons.ts"
import { problemText } from "../parts/Problem.tsx"
import { sessionQuery, useSignOut } from "../service/SessionQueries.ts"

/** Who is signed in, and the way out. A self-hosted service has no sign-in, so nothing is shown. */
export const Account = () => {
  const { data } = useQuery(sessionQuery)
  const signOut = useSignOut()
  if (data?.signed_in_by !== "session") return null
  const { display_name, email, id, name } = data.user
  const shown = display_name ?? name ?? email ?? id
  return (
    <div className="flex items-center justify-between gap-2 border-t pt-2">
      <div className="min-w-0 px-2">
        <p className="truncate font-medium" title={email ?? undefined}>{shown}</p>
        <p className="text-xs text-muted first-letter:uppercase">{data.role}</p>
      </div>
      <Button
        kind="ghost"
        size="icon"
        aria-label="Sign out"
        title="Sign out"
        disabled={signOut.isPending}
        onClick={() => signOut.mutate(false, { onError: (error) => toast.error(problemText(error)) })}
      >
        <LogOut aria-hidden />
      </Button>
    </div>
  )
}
