import "./app/Theme.ts"
import "./styles.css"
import { CSPProvider } from "@base-ui/react/csp-provider"
import { QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { followEvents } from "./app/ConnectionState.tsx"
import { cache, router } from "./app/Router.ts"

const root = document.getElementById("root")
if (root !== null) {
  followEvents(cache)
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
