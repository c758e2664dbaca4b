import { buttonLook } from "../parts/Button.tsx"
import { Empty } from "../parts/Empty.tsx"
import { LogIn } from "../parts/Icons.ts"
import { signInAddress } from "../service/SessionQueries.ts"

/** What a hosted service shows until somebody has signed in; the way back is the screen that is open. */
export const SignInScreen = () => (
  <main className="grid h-full place-items-center">
    <Empty heading="h1" icon={LogIn} title="Sign in to Troupe">
      <p className="pb-3">You sign in at the identity provider of your team, and return to this screen.</p>
      <a
        href={signInAddress(location)}
        className={buttonLook({ kind: "primary" })}
        // What is in the address may change until then.
        onClick={(event) => {
          event.currentTarget.href = signInAddress(location)
        }}
      >
        Sign in
      </a>
    </Empty>
  </main>
)
