import { queryOptions, useMutation } from "@tanstack/react-query"
import type { LanguageModelCatalogueRequest, LanguageModelEntry, LanguageModelTrial } from "@troupe/client"
import { useChange } from "./Change.ts"
import { service } from "./Service.ts"

/** The models with what their last calls showed. */
export const modelsQuery = queryOptions({
  queryKey: ["models"],
  queryFn: () => service.models.list(),
  staleTime: 0
})

/** Model servers on the machine of the service. */
export const modelServersQuery = queryOptions({
  queryKey: ["modelServers"],
  queryFn: () => service.models.servers(),
  staleTime: 0
})

/** What shows a model or the lack of one. */
const shown = ["models", "system", "taskPreview"]

export const useSaveModel = () =>
  useChange(
    shown,
    ({ entry, name }: { readonly name: string; readonly entry: LanguageModelEntry }) => service.models.save(name, entry)
  )

export const useDeleteModel = () => useChange(shown, (name: string) => service.models.remove(name))

export const useChooseModel = () =>
  useChange(
    shown,
    (choice: { readonly default: string; readonly fallbacks: ReadonlyArray<string> }) =>
      service.models.choose({ ...choice, fallbacks: [...choice.fallbacks] })
  )

/** A real call, as small as it can be. */
export const useTestModel = () => useChange(["models"], (name: string) => service.models.test(name))

export const useTryModel = () => useMutation({ mutationFn: (trial: LanguageModelTrial) => service.models.trial(trial) })

export const useCatalogue = () =>
  useMutation({ mutationFn: (request: LanguageModelCatalogueRequest) => service.models.catalogue(request) })
