import { keepPreviousData, queryOptions } from "@tanstack/react-query"
import type { Schedule, ScheduleDraft, SchedulePreviewRequest, ScheduleUpdate } from "@troupe/client"
import { useChange } from "./Change.ts"
import { pagedQuery } from "./Paged.ts"
import { service } from "./Service.ts"

export interface ScheduleFilter {
  readonly status?: Schedule["status"]
}

export const schedulesQuery = ({ status }: ScheduleFilter) =>
  pagedQuery(
    ["schedules", status],
    (page) => service.schedules.list({ ...page, ...(status === undefined ? {} : { status }) })
  )

export const scheduleQuery = (id: string) =>
  queryOptions({ queryKey: ["schedule", id], queryFn: () => service.schedules.get(id) })

/** When a schedule with this time would run. */
export const schedulePreviewQuery = (when: SchedulePreviewRequest) =>
  queryOptions({
    queryKey: ["schedulePreview", when],
    queryFn: () => service.schedules.preview(when),
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 60_000
  })

/** The tasks that a schedule made, newest first. */
export const scheduleTasksQuery = (id: string) =>
  pagedQuery(
    ["tasks", "ofSchedule", id],
    (page) => service.list({ ...page, limit: 20, schedule_id: id, include_archived: true })
  )

const keys = ["schedules", "schedule"]

export const useCreateSchedule = () => useChange(keys, (draft: ScheduleDraft) => service.schedules.create(draft))
export const useChangeSchedule = (id: string) =>
  useChange(keys, (changes: ScheduleUpdate) => service.schedules.change(id, changes))
export const useRunSchedule = () => useChange([...keys, "tasks"], (id: string) => service.schedules.run(id))
export const usePauseSchedule = () =>
  useChange(
    keys,
    ({ id, status }: Schedule) => status === "paused" ? service.schedules.resume(id) : service.schedules.pause(id)
  )
export const useRemoveSchedule = () => useChange(["schedules"], (id: string) => service.schedules.remove(id))
