import type { TaskId } from "@troupe/domain/Ids"

export const outputUriTemplate = "troupe://tasks/{task_id}/outputs/{output_id}"

export const outputUri = (taskId: TaskId, outputId: string) => `troupe://tasks/${taskId}/outputs/${outputId}`

/** Null for a URI of another form. */
export const parseOutputUri = (uri: string): { readonly taskId: string; readonly outputId: string } | null => {
  const [, taskId, outputId] = /^troupe:\/\/tasks\/([^/]+)\/outputs\/([^/]+)$/.exec(uri) ?? []
  return taskId === undefined || outputId === undefined ? null : { taskId, outputId }
}
