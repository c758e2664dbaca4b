import { useQuery, useQueryClient } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { Body } from "../../parts/Body.tsx"
import { Button } from "../../parts/Button.tsx"
import { RefreshCw } from "../../parts/Icons.ts"
import { Loaded } from "../../parts/Loaded.tsx"
import { Screen } from "../../parts/Screen.tsx"
import { Time } from "../../parts/Time.tsx"
import { useMayOperate } from "../../service/Rights.ts"
import { healthQuery, workersQuery } from "../../service/SystemQueries.ts"
import { HealthPanel } from "./HealthPanel.tsx"
import { HistoryPanel } from "./HistoryPanel.tsx"
import { IgnoredMailsPanel } from "./IgnoredMailsPanel.tsx"
import { JobsPanel } from "./JobsPanel.tsx"
import { LimitsPanel } from "./LimitsPanel.tsx"
import { SettingsPanel } from "./SettingsPanel.tsx"
import { StoragePanel } from "./StoragePanel.tsx"
import { VersionPanel } from "./VersionPanel.tsx"
import { WorkersPanel } from "./WorkersPanel.tsx"

const route = getRouteApi("/system")

const SystemScreen = () => {
  const { period = "day" } = route.useSearch()
  const navigate = route.useNavigate()
  const mayOperate = useMayOperate() === true
  const cache = useQueryClient()
  const health = useQuery(healthQuery)
  const workers = useQuery(workersQuery)
  const isChecking = health.isFetching || workers.isFetching
  const checkAgain = () => void cache.invalidateQueries({ queryKey: ["system"] })
  return (
    <Screen
      title="System"
      actions={
        <>
          {health.data !== undefined && (
            <span className="text-muted">
              Checked <Time at={new Date(health.dataUpdatedAt).toISOString()} />
            </span>
          )}
          <Button disabled={isChecking} onClick={checkAgain}>
            <RefreshCw aria-hidden /> {isChecking ? "Checking …" : "Check again"}
          </Button>
        </>
      }
    >
      <Body>
        <Loaded name="checks" query={health}>{(report) => <HealthPanel report={report} />}</Loaded>
        {mayOperate && (
          <HistoryPanel
            period={period}
            onPeriod={(next) => void navigate({ search: next === "day" ? {} : { period: next }, replace: true })}
          />
        )}
        <Loaded name="workers" query={workers}>
          {(report) => (
            <>
              <WorkersPanel report={report} />
              <JobsPanel jobs={report.scheduled_jobs} />
            </>
          )}
        </Loaded>
        {mayOperate && <LimitsPanel />}
        {mayOperate && <StoragePanel />}
        {mayOperate && <IgnoredMailsPanel />}
        {mayOperate && <SettingsPanel />}
        <VersionPanel />
      </Body>
    </Screen>
  )
}

export default SystemScreen
