import { TroupeError } from "@troupe/client"
import { toast } from "sonner"
import { problemText } from "./Problem.tsx"

/** The service's error message for one field of a refused request, or for a part of that field. */
export const fieldError = (error: unknown, path: string): string | undefined => {
  if (!(error instanceof TroupeError)) return undefined
  const message = error.errors.find((fault) => fault.path === path || fault.path.startsWith(`${path}.`))?.message
  return message === undefined ? undefined : message.charAt(0).toUpperCase() + message.slice(1)
}

/** Says how an action of one click ended. */
export const announced = (done: string, failed: string) => ({
  onSuccess: () => void toast.success(done),
  onError: (error: unknown) => void toast.error(failed, { description: problemText(error) })
})

/** The error, unless each of its messages is about one of these fields. */
export const unplacedError = (error: unknown, fields: ReadonlyArray<string>): unknown =>
  error instanceof TroupeError && error.errors.length > 0 && error.errors.every(({ path }) => fields.includes(path))
    ? undefined
    : error
