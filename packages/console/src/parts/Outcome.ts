import { TroupeError } from "@troupe/client"
import { toast } from "sonner"
import { problemText } from "./Problem.tsx"

/** The service's error message for one field of a refused request, or for a part of that field. */
export const fieldError = (error: unknown, path: string): string | undefined =>
  error instanceof TroupeError
    ? error.errors.find((fault) => fault.path === path || fault.path.startsWith(`${path}.`))?.message
    : undefined

/** Says how an action of one click ended. */
export const announced = (done: string, failed: string) => ({
  onSuccess: () => void toast.success(done),
  onError: (error: unknown) => void toast.error(failed, { description: problemText(error) })
})
