import { Option } from "effect"
import { layerUnconfigured } from "../../src/Chat/Slack/SlackProtocol.ts"

/** A chat platform that is never called. */
export const unconfiguredChat = layerUnconfigured(Option.none())
