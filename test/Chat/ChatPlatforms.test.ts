import { makePlainDouble, makeSlackDouble } from "../support/ChatDoubles.ts"
import { chatSuite } from "./chatSuite.ts"

chatSuite("The team chat on Slack", makeSlackDouble)

chatSuite("The team chat on a platform without threads, buttons and commands", makePlainDouble)
