import { setting } from "./Setting.ts"
import * as Format from "./SettingFormats.ts"

export const schedules = {
  schedules: {
    interval: setting("SCHEDULER_INTERVAL", Format.secondsBetween(1, 3600), "60")
      .describe("Maximum number of seconds between looks for due schedules; it also looks when the next one is due."),
    maxPerUser: setting("MAX_SCHEDULES_PER_USER", Format.integerBetween(1, 100_000), "100")
      .describe("Maximum number of schedules of a user that are active or paused.")
  }
}
