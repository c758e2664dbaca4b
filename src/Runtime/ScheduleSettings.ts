import { setting } from "./Setting.ts"
import * as Format from "./SettingFormats.ts"

export const schedules = {
  schedules: {
    interval: setting("SCHEDULER_INTERVAL", Format.secondsBetween(1, 3600), "60")
      .describe("Maximum number of seconds between checks for due schedules; the next due time is checked too."),
    maxPerUser: setting("MAX_SCHEDULES_PER_USER", Format.integerBetween(1, 100_000), "100")
      .describe("Maximum number of schedules of a user that are active or paused.")
  }
}
