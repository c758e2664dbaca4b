import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { rootRoute } from "../../parts/RootRoute.ts"
import { defined, textParam } from "../../service/SearchParams.ts"
import { subscriptionsQuery } from "../../service/SubscriptionQueries.ts"

export const subscriptionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/subscriptions",
  /** `subscription`: the id of the one that is open. */
  validateSearch: (search) => defined({ subscription: textParam(search["subscription"]) }),
  loader: ({ context }) => void context.cache.prefetchInfiniteQuery(subscriptionsQuery),
  component: lazyRouteComponent(() => import("./SubscriptionsScreen.tsx"))
})
