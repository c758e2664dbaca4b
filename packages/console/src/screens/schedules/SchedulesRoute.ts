import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { rootRoute } from "../../parts/RootRoute.ts"
import { schedulesQuery } from "../../service/ScheduleQueries.ts"
import { defined, oneOf, textParam } from "../../service/SearchParams.ts"

const status = oneOf(["active", "paused", "done"])

export const schedulesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/schedules",
  /** `schedule`: the id of the one that is open. */
  validateSearch: (search) => defined({ status: status(search["status"]), schedule: textParam(search["schedule"]) }),
  loaderDeps: ({ search: { status } }) => defined({ status }),
  loader: ({ context, deps }) => void context.cache.prefetchInfiniteQuery(schedulesQuery(deps)),
  component: lazyRouteComponent(() => import("./SchedulesScreen.tsx"))
})
