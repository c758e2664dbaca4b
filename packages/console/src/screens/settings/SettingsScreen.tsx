import { useQuery } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import { Body } from "../../parts/Body.tsx"
import { buttonLook } from "../../parts/Button.tsx"
import { ForOperators } from "../../parts/ForOperators.tsx"
import { Loaded } from "../../parts/Loaded.tsx"
import { Screen } from "../../parts/Screen.tsx"
import { ViewTabs } from "../../parts/ViewTabs.tsx"
import { defined } from "../../service/SearchParams.ts"
import { settingListQuery } from "../../service/SettingQueries.ts"
import { ChatSetup } from "./ChatSetup.tsx"
import { type GroupedView, groupsIn } from "./SettingGroups.ts"
import { SettingHistory } from "./SettingHistory.tsx"
import { SettingsForm } from "./SettingsForm.tsx"
import { WebhookTypes } from "./WebhookTypes.tsx"

const route = getRouteApi("/settings")

const views: ReadonlyArray<readonly [view: GroupedView | "history", name: string]> = [
  ["chat", "Chat"],
  ["mail", "Mail"],
  ["webhooks", "Webhooks"],
  ["limits", "Limits"],
  ["notifications", "Notifications"],
  ["storage", "Storage"],
  ["other", "Other"],
  ["history", "History"]
]

const tabs = views.map(([view, name]) =>
  [view, name, { to: "/settings", search: defined({ view: view === "chat" ? undefined : view }) }] as const
)

const Settings = () => {
  const { view = "chat" } = route.useSearch()
  const query = useQuery(settingListQuery)
  return (
    <Screen
      title="Settings"
      actions={<Link to="/models" className={buttonLook()}>Models</Link>}
      tabs={<ViewTabs label="Settings" current={view} tabs={tabs} />}
    >
      <Body>
        <Loaded name="settings" query={query}>
          {(settings) =>
            view === "history" ? <SettingHistory settings={settings} /> : (
              <>
                {view === "webhooks" && <WebhookTypes />}
                {groupsIn(view, settings).map((group) => <SettingsForm key={group.title} group={group} />)}
                {view === "chat" && <ChatSetup settings={settings} />}
              </>
            )}
        </Loaded>
      </Body>
    </Screen>
  )
}

const SettingsScreen = () => (
  <ForOperators title="Settings" what="see and change the settings of the service">
    <Settings />
  </ForOperators>
)

export default SettingsScreen
