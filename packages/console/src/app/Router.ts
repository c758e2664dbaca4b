import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query"
import { createRouter } from "@tanstack/react-router"
import { Loading } from "../parts/Loading.tsx"
import { rootRoute } from "../parts/RootRoute.ts"
import { agentRoute } from "../screens/agents/AgentRoute.ts"
import { agentsRoute } from "../screens/agents/AgentsRoute.ts"
import { channelsRoute } from "../screens/channels/ChannelsRoute.ts"
import { filesRoute } from "../screens/files/FilesRoute.ts"
import { inboxRoute } from "../screens/inbox/InboxRoute.ts"
import { memoryRoute } from "../screens/memory/MemoryRoute.ts"
import { modelsRoute } from "../screens/models/ModelsRoute.ts"
import { outboxRoute } from "../screens/outbox/OutboxRoute.ts"
import { peopleRoute } from "../screens/people/PeopleRoute.ts"
import { policyRoute } from "../screens/policy/PolicyRoute.ts"
import { schedulesRoute } from "../screens/schedules/SchedulesRoute.ts"
import { settingsRoute } from "../screens/settings/SettingsRoute.ts"
import { skillRoute } from "../screens/skills/SkillRoute.ts"
import { skillsRoute } from "../screens/skills/SkillsRoute.ts"
import { subscriptionsRoute } from "../screens/subscriptions/SubscriptionsRoute.ts"
import { systemRoute } from "../screens/system/SystemRoute.ts"
import { taskRoute } from "../screens/task/TaskRoute.ts"
import { tasksRoute } from "../screens/tasks/TasksRoute.ts"
import { teamRoute } from "../screens/team/TeamRoute.ts"
import { toolServersRoute } from "../screens/toolServers/ToolServersRoute.ts"
import { webhooksRoute } from "../screens/webhooks/WebhooksRoute.ts"
import { consolePath } from "../service/Address.ts"
import { noticeSignOut } from "../service/SessionQueries.ts"
import { NotFound, ScreenError } from "./ScreenError.tsx"
import { Shell } from "./Shell.tsx"

export const cache = new QueryClient({
  queryCache: new QueryCache({ onError: noticeSignOut }),
  mutationCache: new MutationCache({ onError: noticeSignOut }),
  // Events say what changed, and the client retries by itself.
  defaultOptions: { queries: { staleTime: 60_000, retry: false, refetchOnWindowFocus: true } }
})

rootRoute.update({ component: Shell, errorComponent: ScreenError, notFoundComponent: NotFound })

/** Every screen; a new one adds its route here. */
export const router = createRouter({
  routeTree: rootRoute.addChildren([
    inboxRoute,
    tasksRoute,
    taskRoute,
    agentsRoute,
    agentRoute,
    skillsRoute,
    skillRoute,
    toolServersRoute,
    modelsRoute,
    policyRoute,
    memoryRoute,
    filesRoute,
    schedulesRoute,
    webhooksRoute,
    outboxRoute,
    subscriptionsRoute,
    peopleRoute,
    channelsRoute,
    teamRoute,
    settingsRoute,
    systemRoute
  ]),
  basepath: consolePath,
  context: { cache },
  defaultPreload: "intent",
  defaultPreloadStaleTime: 0,
  defaultPendingComponent: Loading,
  defaultErrorComponent: ScreenError,
  scrollRestoration: true
})

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router
  }
}
