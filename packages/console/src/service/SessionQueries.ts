import { queryOptions, useMutation } from "@tanstack/react-query"
import { TroupeError } from "@troupe/client"
import { serviceUrl } from "./Address.ts"
import { service } from "./Service.ts"
import { makeStore } from "./Store.ts"

/** Who works in this browser. */
export const sessionQuery = queryOptions({ queryKey: ["session"], queryFn: () => service.signIn.session() })

/** Whether a hosted service wants a sign-in. Signing in loads the page anew. */
export const signedOut = makeStore(false)

/** Every failed request passes here: one of them finds out that the session has ended. */
export const noticeSignOut = (error: unknown): void => {
  if (error instanceof TroupeError && error.status === 401) signedOut.set(true)
}

/** Leads to the identity provider and back to the screen that is open. */
export const signInAddress = ({ hash, pathname, search }: Location): string =>
  `${serviceUrl}/auth/login?return_to=${encodeURIComponent(pathname + search + hash)}`

/** The same without a question: if there had to be one, the session stays as it is. */
export const renewAddress = (here: Location): string => `${signInAddress(here)}&prompt=none`

/** Forgets everything that the page has loaded. */
const reload = () => location.reload()

export const useSignOut = () =>
  useMutation({ mutationFn: (everywhere: boolean) => service.signIn.logout({ everywhere }), onSuccess: reload })
