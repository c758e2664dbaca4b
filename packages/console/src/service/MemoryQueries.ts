import { infiniteQueryOptions, useMutation } from "@tanstack/react-query"
import { useChange } from "./Change.ts"
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

export const useForget = () => useChange(["memories"], (id: string) => service.memories.remove(id))

export const useForgetAll = () => useChange(["memories"], (nothing: undefined) => service.memories.removeAll(nothing))

/** All memories as lines of JSON. */
export const useMemoryExport = () => useMutation({ mutationFn: () => service.memories.export() })
