import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { RequestId } from "@troupe/api/Problem"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { selfHostedCaller } from "@troupe/domain/Caller"
import { Effect, Option } from "effect"
import { escapedHtml, pageButton, plainPage } from "../People/SignIn/PlainPage.ts"
import { SignIn, signInAddresses as consoleAddresses } from "../People/SignIn/SignIn.ts"
import { addressBelow, consoleAddress } from "../Runtime/PublicAddress.ts"
import { clientDocument, signInAddresses } from "./SignInClient.ts"
import { ToolServerSignIn } from "./ToolServerSignIn.ts"

export const ToolServerSignInHttp = (
  { isHosted, publicUrl }: { readonly isHosted: boolean; readonly publicUrl: URL }
) =>
  HttpApiBuilder.group(TroupeApi, "toolServerSignIn", (handlers) =>
    Effect.gen(function*() {
      const { complete, connect, forget } = yield* ToolServerSignIn
      const { holderOf } = yield* SignIn
      const { callback } = signInAddresses(publicUrl)
      const document = clientDocument(publicUrl)
      const servers = pageButton(addressBelow(consoleAddress(publicUrl), "tool-servers").href, "To the tool servers")

      /** A self-hosted service has no sessions: whoever reaches it is its operator. */
      const callerOf = (headers: Readonly<Record<string, string | undefined>>) =>
        isHosted ? Effect.map(holderOf({ headers }), Option.getOrNull) : Effect.succeed(selfHostedCaller)

      const signInFirst = (search: string) => {
        const { login } = consoleAddresses(publicUrl)
        login.searchParams.set("return_to", `${callback.pathname}${search}`)
        return pageButton(login.href, "Sign in")
      }

      return handlers
        .handle("connect", ({ path, urlParams }) => connect(path.server_name, urlParams.return_to))
        .handle("forget", ({ path }) => forget(path.server_name))
        .handle("client", () => Effect.succeed(document))
        .handleRaw("connected", ({ request }) =>
          Effect.gen(function*() {
            const search = request.url.replace(/^[^?]*/, "")
            const caller = yield* callerOf(request.headers)
            const outcome = yield* Effect.either(complete(new URLSearchParams(search), caller))
            if (outcome._tag === "Left") {
              const { reason, status } = outcome.left
              return plainPage(status, "The tool server is not connected", [
                `<p>${escapedHtml(reason)}</p>`,
                status === 401 ? signInFirst(search) : servers,
                `<p>Request ${escapedHtml(yield* RequestId)}</p>`
              ])
            }
            const { issuer, next, scopes, server } = outcome.right
            return plainPage(200, "The tool server is connected", [
              `<p><b>${escapedHtml(server)}</b> is connected: signed in at ${escapedHtml(issuer)}${
                scopes === null ? "" : `, for ${escapedHtml(scopes)}`
              }. Tasks that waited for it go on.</p>`,
              pageButton(next.href, "Back to Troupe")
            ])
          }))
    }))
