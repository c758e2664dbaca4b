import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { rootRoute } from "../../parts/RootRoute.ts"
import { defined, oneOf, textParam } from "../../service/SearchParams.ts"
import { deliveriesQuery } from "../../service/WebhookQueries.ts"

const state = oneOf(["pending", "processing", "failed", "done"])

export const webhooksRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/webhooks",
  /** `delivery`: the id of the one that is open. */
  validateSearch: (search) =>
    defined({
      state: state(search["state"]),
      type: textParam(search["type"]),
      source: textParam(search["source"]),
      delivery: textParam(search["delivery"])
    }),
  loaderDeps: ({ search: { source, state, type } }) => defined({ source, state, type }),
  loader: ({ context, deps }) => void context.cache.prefetchInfiniteQuery(deliveriesQuery(deps)),
  component: lazyRouteComponent(() => import("./WebhooksScreen.tsx"))
})
