import { useMutation, useQueryClient } from "@tanstack/react-query"

/** A change after which the queries whose keys begin with these words are read again. */
export const useChange = <A, B>(keys: ReadonlyArray<string>, change: (input: A) => Promise<B>) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: () => Promise.all(keys.map((key) => cache.invalidateQueries({ queryKey: [key] })))
  })
}
