import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { rootRoute } from "../../parts/RootRoute.ts"
import { defined, oneOf, textParam } from "../../service/SearchParams.ts"

const kind = oneOf(["question", "failure", "result"])
const whose = oneOf(["all"])

export const inboxRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  /** `whose`: only what is for the one who works here, unless it is `all`. */
  validateSearch: (search) =>
    defined({
      kind: kind(search["kind"]),
      whose: whose(search["whose"]),
      project_id: textParam(search["project_id"])
    }),
  component: lazyRouteComponent(() => import("./InboxScreen.tsx"))
})
