import { useQuery } from "@tanstack/react-query"
import { RefreshCw, Settings2, Wrench } from "lucide-react"
import { useState } from "react"
import { Body } from "../../parts/Body.tsx"
import { Button } from "../../parts/Button.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Loading } from "../../parts/Loading.tsx"
import { plural } from "../../parts/Plural.ts"
import { Problem } from "../../parts/Problem.tsx"
import { Screen } from "../../parts/Screen.tsx"
import { toolServersQuery, useStopAll } from "../../service/ToolServerQueries.ts"
import { Configuration } from "./Configuration.tsx"
import { ServerPanel } from "./ServerPanel.tsx"

const ToolServersScreen = () => {
  const { data, error, isFetching, refetch } = useQuery(toolServersQuery)
  const [dialog, setDialog] = useState<"configure" | "stop">()
  const stop = useStopAll()
  const close = () => setDialog(undefined)
  const configure = (
    <Button kind="primary" onClick={() => setDialog("configure")}>
      <Settings2 aria-hidden /> Configure
    </Button>
  )
  return (
    <Screen
      title="Tool servers"
      actions={
        <>
          {data !== undefined && data.total_servers > 0 && (
            <>
              <span className="text-muted">
                {data.connected_servers} of {plural(data.total_servers, "server")} connected,{" "}
                {plural(data.total_tools, "tool")}
              </span>
              <Button kind="danger" onClick={() => setDialog("stop")}>Stop all</Button>
            </>
          )}
          <Button disabled={isFetching} onClick={() => void refetch()}>
            <RefreshCw aria-hidden /> Reload
          </Button>
          {configure}
        </>
      }
    >
      <Body>
        {error !== null && (
          <Problem
            error={error}
            title="The tool servers could not be loaded"
            onRetry={() => void refetch()}
          />
        )}
        {data === undefined && error === null && <Loading />}
        {data !== undefined && data.total_servers === 0 && (
          <Empty icon={Wrench} title="No tool servers yet">
            <p>
              A tool server gives agents more tools, such as a browser or a database, by the Model Context Protocol
              (MCP). Choose Configure and paste the JSON that its documentation shows; it is the format of other
              assistants, too.
            </p>
          </Empty>
        )}
        {data?.servers.map((server) => (
          <ServerPanel
            key={server.name}
            server={server}
            onConfigure={() => setDialog("configure")}
          />
        ))}
      </Body>
      {dialog === "configure" && <Configuration names={data?.servers.map(({ name }) => name) ?? []} onClose={close} />}
      {dialog === "stop" && (
        <Confirm
          title="Stop all tool servers?"
          action="Stop and delete them"
          keep="Keep them"
          error={stop.error}
          isPending={stop.isPending}
          onClose={close}
          onConfirm={() => stop.mutate(undefined, { onSuccess: close })}
        >
          <p>The configuration is deleted, and agents lose the tools of all servers at once.</p>
        </Confirm>
      )}
    </Screen>
  )
}

export default ToolServersScreen
