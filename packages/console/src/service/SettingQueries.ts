import { queryOptions, useMutation } from "@tanstack/react-query"
import type { SettingChanges, SettingsTestRequest, WebhookTypeChange } from "@troupe/client"
import { useChange } from "./Change.ts"
import { service } from "./Service.ts"

/** Every setting, as owner and admins change them. */
export const settingListQuery = queryOptions({
  queryKey: ["settings", "list"],
  queryFn: () => service.settings.list(),
  staleTime: 0
})

export const settingHistoryQuery = queryOptions({
  queryKey: ["settings", "history"],
  queryFn: () => service.settings.history(),
  staleTime: 0
})

export const useChangeSettings = () =>
  useChange(["settings", "system", "webhookTypes"], (changes: SettingChanges) => service.settings.change(changes))

export const useTestSettings = () =>
  useMutation({ mutationFn: (request: SettingsTestRequest) => service.settings.test(request) })

export const webhookTypesQuery = queryOptions({
  queryKey: ["webhookTypes"],
  queryFn: () => service.webhookTypes.list(),
  staleTime: 0
})

const shown = ["webhookTypes", "settings", "system"]

export const useConfigureType = () =>
  useChange(
    shown,
    ({ change, type }: { readonly type: string; readonly change: WebhookTypeChange }) =>
      service.webhookTypes.configure(type, change)
  )

export const useRemoveType = () => useChange(shown, (type: string) => service.webhookTypes.remove(type))
