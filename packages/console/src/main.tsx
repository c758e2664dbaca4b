import "./app/Theme.ts"
import "./styles.css"
import { CSPProvider } from "@base-ui/react/csp-provider"
import { QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { followEvents } from "./app/ConnectionState.tsx"
import { cache, router } from "./app/Router.ts"
import { sessionQuery } from "./service/SessionQueries.ts"

const root = document.getElementById("root")
if (root !== null) {
  followEvents(cache)
  // Every screen needs it; the code of the first one is loaded meanwhile.
  void cache.prefetchQuery(sessionQuery)
  createRoot(root).render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={cache}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </CSPProvider>
    </StrictMode>
  )
}
