import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { rootRoute } from "../../parts/RootRoute.ts"
import { peopleQuery } from "../../service/PeopleQueries.ts"
import { defined, textParam } from "../../service/SearchParams.ts"

export const peopleRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/people",
  /** `user`: the id of the one that is open. */
  validateSearch: (search) => defined({ user: textParam(search["user"]) }),
  loader: ({ context }) => void context.cache.prefetchInfiniteQuery(peopleQuery),
  component: lazyRouteComponent(() => import("./PeopleScreen.tsx"))
})
