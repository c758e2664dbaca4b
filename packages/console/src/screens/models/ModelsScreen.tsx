import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { Body } from "../../parts/Body.tsx"
import { Button } from "../../parts/Button.tsx"
import { Plus, RefreshCw } from "../../parts/Icons.ts"
import { Loaded } from "../../parts/Loaded.tsx"
import { Screen } from "../../parts/Screen.tsx"
import { modelsQuery } from "../../service/ModelQueries.ts"
import { ModelForm } from "./ModelForm.tsx"
import { ModelPanel } from "./ModelPanel.tsx"

const route = getRouteApi("/models")

const ModelsScreen = () => {
  const { connect = false } = route.useSearch()
  const navigate = route.useNavigate()
  const models = useQuery(modelsQuery)
  const [changed, setChanged] = useState<string>()
  const given = models.data?.models.find(({ name }) => name === changed)
  const setConnect = (isOpen: boolean) => void navigate({ search: isOpen ? { connect: true } : {}, replace: true })
  return (
    <Screen
      title="Models"
      actions={
        <>
          <Button disabled={models.isFetching} onClick={() => void models.refetch()}>
            <RefreshCw aria-hidden /> Reload
          </Button>
          <Button kind="primary" onClick={() => setConnect(true)}>
            <Plus aria-hidden /> Connect a model
          </Button>
        </>
      }
    >
      <Body>
        <p className="text-muted">
          The default model is used for every task that names no other. If it is unavailable, the fallbacks are tried in
          their order. A change applies to the next call; calls that are running finish.
        </p>
        <Loaded name="models" query={models}>
          {(report) =>
            report.models.map((model) => (
              <ModelPanel
                key={model.name}
                model={model}
                report={report}
                onEdit={() => setChanged(model.name)}
              />
            ))}
        </Loaded>
      </Body>
      {connect && <ModelForm onClose={() => setConnect(false)} />}
      {given !== undefined && <ModelForm given={given} onClose={() => setChanged(undefined)} />}
    </Screen>
  )
}

export default ModelsScreen
