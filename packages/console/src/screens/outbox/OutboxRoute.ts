import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { rootRoute } from "../../parts/RootRoute.ts"
import { outboxQuery } from "../../service/OutboxQueries.ts"
import { defined, oneOf } from "../../service/SearchParams.ts"
import { channels } from "../../service/Ways.ts"

const state = oneOf(["pending", "sending", "sent", "failed"])
const channel = oneOf(channels)

export const outboxRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/outbox",
  validateSearch: (search) => defined({ state: state(search["state"]), channel: channel(search["channel"]) }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.cache.prefetchInfiniteQuery(outboxQuery(deps)),
  component: lazyRouteComponent(() => import("./OutboxScreen.tsx"))
})
