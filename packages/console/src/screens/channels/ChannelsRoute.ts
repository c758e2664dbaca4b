import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { rootRoute } from "../../parts/RootRoute.ts"
import { channelsQuery } from "../../service/ChannelQueries.ts"
import { defined, textParam } from "../../service/SearchParams.ts"

export const channelsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/channels",
  /** `channel`: the chat platform's id of the one that is open. */
  validateSearch: (search) => defined({ channel: textParam(search["channel"]) }),
  loader: ({ context }) => void context.cache.prefetchInfiniteQuery(channelsQuery),
  component: lazyRouteComponent(() => import("./ChannelsScreen.tsx"))
})
