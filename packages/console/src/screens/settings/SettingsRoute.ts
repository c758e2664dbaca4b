import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { rootRoute } from "../../parts/RootRoute.ts"
import { defined, oneOf } from "../../service/SearchParams.ts"
import { settingListQuery } from "../../service/SettingQueries.ts"

export const settingsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/settings",
  /** `view`: the tab; the team chat's without it. */
  validateSearch: (search) =>
    defined({
      view: oneOf(["mail", "webhooks", "limits", "notifications", "storage", "other", "history"])(search["view"])
    }),
  loader: ({ context }) => void context.cache.prefetchQuery(settingListQuery),
  component: lazyRouteComponent(() => import("./SettingsScreen.tsx"))
})
