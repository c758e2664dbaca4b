import type { TeamInfo } from "@troupe/client"

const tiers: Readonly<Record<TeamInfo["tier"], string>> = { free: "Free", team: "Team", enterprise: "Enterprise" }

/** How many seats the team has, and how many are taken. */
export const Seats = ({ team: { max_users, seats_remaining, tier, user_count } }: { readonly team: TeamInfo }) => (
  <section className="flex flex-wrap items-center gap-x-6 gap-y-2 rounded-lg border bg-surface px-4 py-3">
    <p>
      <span className="text-lg font-semibold tabular-nums">{user_count}</span>
      <span className="text-muted">
        {max_users === null ? " seats taken, no limit" : ` of ${max_users} seats taken`}
      </span>
    </p>
    {max_users !== null && (
      <meter aria-label="Seats taken" min={0} max={max_users} value={user_count} className="h-2 w-48" />
    )}
    <p className="text-muted">
      {seats_remaining === 0
        ? "To invite more people, remove somebody, or let the operator raise TIER or MAX_USERS."
        : "A pending invitation takes a seat, too."}
    </p>
    <p className="text-muted sm:ml-auto">Tier: {tiers[tier]}</p>
  </section>
)
