import type { ReactNode } from "react"
import { Loading } from "./Loading.tsx"
import { Problem } from "./Problem.tsx"

/** A request as the cache knows it: one, or one by pages. */
interface Request<A> {
  readonly data: A | undefined
  readonly error: Error | null
  readonly refetch: () => unknown
}

/**
 * The answer of a request. What was loaded stays when a later request fails; the error stands before it, with the way on.
 */
export const Loaded = <A extends object>({ children, errorLook, name, query }: {
  readonly query: Request<A>
  /** What is loaded, as the error says it: `skills`. */
  readonly name: string
  /** Classes of the space around the error, where the content brings its own. */
  readonly errorLook?: string
  readonly children: (data: A) => ReactNode
}) => {
  const { data, error, refetch } = query
  return (
    <>
      {error !== null && (
        <div className={errorLook}>
          <Problem error={error} title={`The ${name} could not be loaded`} onRetry={() => void refetch()} />
        </div>
      )}
      {data === undefined ? error === null && <Loading /> : children(data)}
    </>
  )
}
