import { useQuery } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import { Body } from "../../parts/Body.tsx"
import { Button } from "../../parts/Button.tsx"
import { CopyText } from "../../parts/CopyText.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { ShieldCheck, UserPlus } from "../../parts/Icons.ts"
import { Loaded } from "../../parts/Loaded.tsx"
import { Screen } from "../../parts/Screen.tsx"
import { useMayOperate } from "../../service/Rights.ts"
import { sessionQuery } from "../../service/SessionQueries.ts"
import { versionQuery } from "../../service/SystemQueries.ts"
import { teamQuery } from "../../service/TeamQueries.ts"
import { Invite } from "./Invite.tsx"
import { Members } from "./Members.tsx"
import { Seats } from "./Seats.tsx"
import { Tokens } from "./Tokens.tsx"

const route = getRouteApi("/team")

const hostedSettings = [
  "DEPLOYMENT_MODE=hosted",
  "TEAM_OWNER_EMAIL=you@example.org",
  "OIDC_ISSUER=https://…",
  "OIDC_AUDIENCE=…",
  "OIDC_CLIENT_ID=…",
  "BACKEND_API_URL=https://…"
].join("\n")

const SelfHosted = () => (
  <Empty icon={ShieldCheck} title="This service has no team">
    <p>
      It is self-hosted: nobody signs in, and whoever reaches it may do everything. Colleagues can already work with it
      by team chat or mail, once that is connected under{" "}
      <Link to="/settings" className="text-accent underline">Settings</Link>; each is then listed under People, with the
      cost of their work.
    </p>
    <p className="mt-2">
      For a sign-in of their own, ask those who installed Troupe to start it in hosted mode, with these settings. Then
      you invite people here by their e-mail addresses:
    </p>
    <div className="mt-3 text-left text-text">
      <CopyText label="settings" text={hostedSettings} />
    </div>
  </Empty>
)

const Hosted = () => {
  const team = useQuery(teamQuery)
  const { data: session } = useQuery(sessionQuery)
  const { invite = false } = route.useSearch()
  const navigate = route.useNavigate()
  const setInvite = (isOpen: boolean) => void navigate({ search: isOpen ? { invite: true } : {}, replace: true })
  const isAdmin = useMayOperate() === true
  const isFull = team.data?.seats_remaining === 0
  return (
    <Screen
      title="Team"
      actions={isAdmin && (
        <Button
          kind="primary"
          disabled={isFull}
          title={isFull ? "All seats are taken" : undefined}
          onClick={() => setInvite(true)}
        >
          <UserPlus aria-hidden /> Invite
        </Button>
      )}
    >
      <Body>
        <Loaded name="team" query={team}>
          {(team) => (
            <>
              <Seats team={team} />
              <p className="text-muted">A name opens the profile, with what the person's work has cost.</p>
              <Members
                title="Members"
                none="Nobody has signed in yet."
                members={team.members.filter(({ status }) => status === "active")}
                canRemove={isAdmin}
                own={session?.user.id}
              />
              <Members
                title="Pending invitations"
                none="Everybody who was invited has signed in."
                members={team.members.filter(({ status }) => status === "pending")}
                canRemove={isAdmin}
                own={session?.user.id}
              />
              {session !== undefined && <Tokens role={session.role} />}
              {!isAdmin && <p className="text-muted">Only the owner and admins invite and remove members.</p>}
            </>
          )}
        </Loaded>
      </Body>
      {invite && isAdmin && <Invite onClose={() => setInvite(false)} />}
    </Screen>
  )
}

/** Who may work with this service. */
const TeamScreen = () => {
  const version = useQuery(versionQuery)
  if (version.data?.deployment_mode === "hosted") return <Hosted />
  return (
    <Screen title="Team">
      <Loaded errorLook="p-3" name="team" query={version}>{() => <SelfHosted />}</Loaded>
    </Screen>
  )
}

export default TeamScreen
