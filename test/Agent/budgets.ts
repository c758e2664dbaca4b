import { TaskId } from "@troupe/domain/Ids"

export const idOf = (number: number): TaskId =>
  TaskId.make(`019a0000-0000-7000-8000-${String(number + 2).padStart(12, "0")}`)
