import { infiniteQueryOptions, useMutation, useQueryClient } from "@tanstack/react-query"
import { service } from "./Service.ts"

/** The memories with a word in them or in a tag, newest first; all without a word. */
export const memoriesQuery = (q: string) =>
  infiniteQueryOptions({
    queryKey: ["memories", q],
    queryFn: ({ pageParam }) =>
      service.memories.list({
        limit: 50,
        ...(q === "" ? {} : { q }),
        ...(pageParam === "" ? {} : { cursor: pageParam })
      }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next
  })

const useMemoryChange = <A>(change: (input: A) => Promise<void>) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: () => void cache.invalidateQueries({ queryKey: ["memories"] })
  })
}

export const useForget = () => useMemoryChange((id: string) => service.memories.remove(id))

export const useForgetAll = () => useMemoryChange((nothing: undefined) => service.memories.removeAll(nothing))

/** All memories as lines of JSON. */
export const useMemoryExport = () => useMutation({ mutationFn: () => service.memories.export() })
