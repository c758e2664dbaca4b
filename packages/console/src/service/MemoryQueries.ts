import { useMutation } from "@tanstack/react-query"
import { useChange } from "./Change.ts"
import { pagedQuery } from "./Paged.ts"
import { service } from "./Service.ts"

/** The memories with a word in them or in a tag, newest first; all without a word. */
export const memoriesQuery = (q: string) =>
  pagedQuery(["memories", q], (page) => service.memories.list({ ...page, limit: 50, ...(q === "" ? {} : { q }) }))

export const useForget = () => useChange(["memories"], (id: string) => service.memories.remove(id))

export const useForgetAll = () => useChange(["memories"], (nothing: undefined) => service.memories.removeAll(nothing))

/** All memories as lines of JSON. */
export const useMemoryExport = () => useMutation({ mutationFn: () => service.memories.export() })
