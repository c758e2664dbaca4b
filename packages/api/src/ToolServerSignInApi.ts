import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { Schema } from "effect"
import { Authentication } from "./Authentication.ts"
import { checkedWhole, described, pathParameter, titled } from "./Fields.ts"
import * as Problems from "./Problems.ts"

const serverName = pathParameter("server_name", "Name of the tool server, URL-encoded")

export const ConnectStarted = Schema.Struct({
  url: Schema.String.annotations({
    description: "Page of the authorization server to open in a browser; it comes back within ten minutes"
  })
}).annotations({ identifier: "ConnectStarted" })

/** What the service says of itself to authorization servers. */
export const ClientDocument = Schema.Struct({
  client_id: Schema.String.annotations({ description: "The address of this document" }),
  client_name: Schema.String.annotations({ description: "Name that authorization servers show to people" }),
  client_uri: Schema.String.annotations({ description: "First page of this service" }),
  redirect_uris: Schema.Array(Schema.String).annotations({ description: "Where browsers come back" }),
  grant_types: Schema.Array(Schema.String).annotations({ description: "How it gets tokens" }),
  response_types: Schema.Array(Schema.String).annotations({ description: "What browsers bring back" }),
  token_endpoint_auth_method: Schema.String.annotations({ description: "none: it has no secret" })
}).annotations({ identifier: "ClientDocument" })

/** The sign-in of people at tool servers. */
export class ToolServerSignInApi extends HttpApiGroup.make("toolServerSignIn")
  .add(
    HttpApiEndpoint.post("connect")`/api/mcp/servers/${serverName}/connect`
      .setUrlParams(checkedWhole(Schema.Struct({
        return_to: Schema.optional(
          Schema.String.annotations({
            description: "Path of this service to which the last page leads back; default: the page of the tool server"
          })
        )
      })))
      .addSuccess(ConnectStarted)
      .addError(Problems.toolServerNotFound)
      .addError(Problems.signInNotPossible)
      .addError(Problems.notAllowed)
      .middleware(Authentication)
      .annotateContext(
        described(
          "Begins a sign-in at a tool server: by an owner or admin, or with per_user by each member for themselves"
        )
      )
  )
  .add(
    HttpApiEndpoint.del("forget")`/api/mcp/servers/${serverName}/connection`
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Problems.toolServerNotFound)
      .addError(Problems.notAllowed)
      .middleware(Authentication)
      .annotateContext(described("Forgets the sign-in at a tool server, with its tokens"))
  )
  .add(
    HttpApiEndpoint.get("connected", "/auth/mcp/callback")
      .addSuccess(HttpApiSchema.Text({ contentType: "text/html" }))
      .annotateContext(
        described(
          "Completes the sign-in that a browser began, and shows a page that says what was connected, or why it was not"
        )
      )
  )
  .add(
    HttpApiEndpoint.get("client", "/auth/mcp/client.json")
      .addSuccess(ClientDocument)
      .annotateContext(described("The client id metadata document that authorization servers read"))
  )
  .annotateContext(titled("Sign-in at tool servers", "The sign-in of people at tool servers."))
{}
