import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { Body } from "../../parts/Body.tsx"
import { Button } from "../../parts/Button.tsx"
import { Delete } from "../../parts/Delete.tsx"
import { Details } from "../../parts/Details.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Braces, Plus, RefreshCw, Wrench } from "../../parts/Icons.ts"
import { Loaded } from "../../parts/Loaded.tsx"
import { plural } from "../../parts/Plural.ts"
import { Screen } from "../../parts/Screen.tsx"
import { useMayOperate } from "../../service/Rights.ts"
import { configurationQuery, toolServersQuery, useStopAll } from "../../service/ToolServerQueries.ts"
import { Configuration } from "./Configuration.tsx"
import { Gallery, type KnownServer } from "./Gallery.tsx"
import { ServerForm } from "./ServerForm.tsx"
import { ServerPanel } from "./ServerPanel.tsx"
import { ServerTools } from "./ServerTools.tsx"

const route = getRouteApi("/tool-servers")

type Dialog =
  | { readonly _tag: "add"; readonly known?: KnownServer }
  | { readonly _tag: "json" }
  | { readonly _tag: "change"; readonly name: string }

/** The form for one server that exists, once its configuration is loaded. */
const ChangeServer = ({ name, onClose }: { readonly name: string; readonly onClose: () => void }) => {
  const configuration = useQuery(configurationQuery)
  const entry = configuration.data?.mcpServers[name]
  return entry !== undefined
    ? <ServerForm given={{ name, entry }} onClose={onClose} />
    : (
      <Details name="configuration" titleOf={() => `Change ${name}`} query={configuration} onClose={onClose}>
        {() => <p>There is no tool server {name} any more.</p>}
      </Details>
    )
}

const ToolServersScreen = () => {
  const { server: shown } = route.useSearch()
  const navigate = route.useNavigate()
  const servers = useQuery(toolServersQuery)
  const { data, isFetching, refetch } = servers
  const [dialog, setDialog] = useState<Dialog>()
  const stop = useStopAll()
  const close = () => setDialog(undefined)
  const mayOperate = useMayOperate() === true
  return (
    <Screen
      title="Tool servers"
      actions={
        <>
          {data !== undefined && data.total_servers > 0 && (
            <span className="text-muted max-sm:hidden">
              {data.connected_servers} of {plural(data.total_servers, "server")} connected,{" "}
              {plural(data.total_tools, "tool")}
            </span>
          )}
          <Button disabled={isFetching} onClick={() => void refetch()}>
            <RefreshCw aria-hidden /> Reload
          </Button>
          {mayOperate && (
            <>
              <Button onClick={() => setDialog({ _tag: "json" })}>
                <Braces aria-hidden /> Edit as JSON
              </Button>
              <Button kind="primary" onClick={() => setDialog({ _tag: "add" })}>
                <Plus aria-hidden /> Add a server
              </Button>
            </>
          )}
        </>
      }
    >
      <Body>
        <Loaded name="tool servers" query={servers}>
          {({ servers, total_servers }) => (
            <>
              {total_servers === 0 && (
                <Empty icon={Wrench} title="No tool servers yet">
                  <p>
                    A tool server gives agents more tools, such as a browser or a database, by the Model Context
                    Protocol (MCP). {mayOperate
                      ? "Choose one, add another, or paste the JSON that its documentation shows."
                      : "The owner and admins add them."}
                  </p>
                  {mayOperate && (
                    <Button kind="primary" className="mt-3" onClick={() => setDialog({ _tag: "add" })}>
                      <Plus aria-hidden /> Add another server
                    </Button>
                  )}
                </Empty>
              )}
              {servers.map((server) => (
                <ServerPanel
                  key={server.name}
                  server={server}
                  mayOperate={mayOperate}
                  onEdit={() => setDialog({ _tag: "change", name: server.name })}
                />
              ))}
              {mayOperate && (
                <details open={total_servers === 0}>
                  <summary className="mb-2 w-fit text-muted hover:text-text">Well-known servers</summary>
                  <Gallery
                    taken={servers.map(({ name }) => name)}
                    onChoose={(known) => setDialog({ _tag: "add", known })}
                  />
                </details>
              )}
              {mayOperate && total_servers > 1 && (
                <div className="flex justify-end">
                  <Delete noun="servers" label="Delete all" change={stop} input={undefined}>
                    All servers are stopped, and their configuration is deleted. Agents lose the tools of all servers at
                    once.
                  </Delete>
                </div>
              )}
            </>
          )}
        </Loaded>
      </Body>
      {shown !== undefined && (
        <ServerTools
          server={shown}
          state={data?.servers.find(({ name }) => name === shown)}
          mayOperate={mayOperate}
          onClose={() => void navigate({ search: {}, replace: true })}
        />
      )}
      {dialog?._tag === "add" && (
        <ServerForm
          key={dialog.known?.title ?? ""}
          {...(dialog.known === undefined ? {} : { known: dialog.known })}
          onClose={close}
        />
      )}
      {dialog?._tag === "change" && <ChangeServer name={dialog.name} onClose={close} />}
      {dialog?._tag === "json" && <Configuration onClose={close} />}
    </Screen>
  )
}

export default ToolServersScreen
