import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import type { PolicyReport } from "@troupe/client"
import { Body } from "../../parts/Body.tsx"
import { Loaded } from "../../parts/Loaded.tsx"
import { Screen } from "../../parts/Screen.tsx"
import { ViewTabs } from "../../parts/ViewTabs.tsx"
import { policyQuery } from "../../service/PolicyQueries.ts"
import { useMayOperate } from "../../service/Rights.ts"
import { defined } from "../../service/SearchParams.ts"
import { BackTest } from "./BackTest.tsx"
import { ClassesView } from "./ClassesView.tsx"
import { DraftBar } from "./DraftBar.tsx"
import { HistoryView } from "./HistoryView.tsx"
import { MailRule } from "./MailRule.tsx"
import { usePolicyDraft } from "./PolicyDraft.ts"
import { Presets } from "./Presets.tsx"
import { Rules } from "./Rules.tsx"

const route = getRouteApi("/policy")

const views = [["rules", "Rules"], ["classes", "Classes of tools"], ["history", "History"]] as const

const tabs = views.map(([view, name]) =>
  [view, name, { to: "/policy", search: defined({ view: view === "rules" ? undefined : view }) }] as const
)

const Policy = ({ mayChange, saved, view }: {
  readonly saved: PolicyReport
  readonly view: "classes" | "history" | "rules"
  readonly mayChange: boolean
}) => {
  const editing = usePolicyDraft(saved)
  return (
    <>
      {mayChange && editing.isChanged && <DraftBar editing={editing} saved={saved} />}
      {view === "rules" && (
        <>
          <MailRule editing={editing} mayChange={mayChange} />
          <Presets editing={editing} mayChange={mayChange} />
          <Rules editing={editing} saved={saved} mayChange={mayChange} />
          {mayChange && <BackTest policy={editing.policy} isChanged={editing.isChanged} />}
        </>
      )}
      {view === "classes" && <ClassesView editing={editing} mayChange={mayChange} />}
      {view === "history" && <HistoryView />}
    </>
  )
}

const PolicyScreen = () => {
  const { view = "rules" } = route.useSearch()
  const query = useQuery(policyQuery)
  const mayChange = useMayOperate() === true
  return (
    <Screen title="Policy" tabs={<ViewTabs label="Policy" current={view} tabs={tabs} />}>
      <Body>
        <Loaded name="policy" query={query}>
          {(saved) => <Policy saved={saved} view={view} mayChange={mayChange} />}
        </Loaded>
      </Body>
    </Screen>
  )
}

export default PolicyScreen
