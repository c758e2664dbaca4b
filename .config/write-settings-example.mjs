// Writes .env.example, which a test compares with the declared settings. `npm run generate` runs it after it has built them.
import { writeFileSync } from "node:fs"

const catalogue = new URL("../dist/Runtime/Settings/SettingsCatalogue.js", import.meta.url)
const { settingsExample } = await import(catalogue.href)
writeFileSync(new URL("../.env.example", import.meta.url), settingsExample())
