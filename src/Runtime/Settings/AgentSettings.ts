import { defaultMaxIterations, parentLimits } from "@troupe/domain/Limits"
import { maxCallSeconds } from "@troupe/domain/ToolServer"
import { preferred, providerSettings, usualContexts } from "./ModelProviders.ts"
import { optional, secret, setting } from "./Setting.ts"
import * as Format from "./SettingFormats.ts"

export const model = {
  providers: { ...providerSettings, preferred },
  model: {
    contextTokens: optional("MODEL_CONTEXT_TOKENS", Format.integerBetween(1000, 100_000_000))
      .describe(`Context window in tokens. Unset: ${usualContexts}.`),
    temperature: optional("MODEL_TEMPERATURE", Format.decimalBetween(0, 2))
      .describe("Sampling temperature. Unset: 0 for a local model, else 1."),
    maxRetries: setting("MODEL_MAX_RETRIES", Format.integerBetween(0, 20), "4")
      .describe("How often a model call is retried after 429, 5xx or a time-out."),
    requestTimeout: setting("MODEL_REQUEST_TIMEOUT", Format.secondsBetween(1, 3600), "120")
      .describe("Seconds until a model call times out."),
    prices: setting("MODEL_PRICES", Format.modelPrices, "{}")
      .describe(
        "Prices per million tokens by model name, for the cost of tasks. The maker before a name, its case and its version "
          + "need not be the same; `cached_input` is of input that the provider had cached. Unset: list prices of well-known models of "
          + "OpenAI, Anthropic and Google. A model without a price has no cost."
      ),
    maxCostPerDay: optional("MAX_COST_PER_DAY", Format.decimalBetween(0, 1_000_000_000))
      .describe(
        "What all tasks together may cost in a day (UTC), in the currency of MODEL_PRICES. PUT /api/limits replaces it.",
        "nothing"
      ),
    vision: setting("MODEL_VISION", Format.oneOf("auto", "true", "false"), "auto")
      .describe("Whether images are sent to the model. auto: if its name is that of a model known to accept them.")
  }
}

const iterations = Format.integerBetween(1, 10_000)

export const agent = {
  agent: {
    specialization: setting("SPECIALIZATION", Format.text, "general assistant")
      .describe("The agent's role, in a few words of its system prompt.", "nothing"),
    additionalInstructions: optional("ADDITIONAL_INSTRUCTIONS", Format.text)
      .describe("Instructions added to every system prompt.", "nothing"),
    maxParallelToolCalls: setting("MAX_PARALLEL_TOOL_CALLS", Format.integerBetween(1, 100), "5")
      .describe("Maximum number of tool calls in one turn; further ones are answered as skipped.", "nothing"),
    compactionThreshold: setting("COMPACTION_THRESHOLD", Format.integerBetween(2, 10_000), "12")
      .describe("A conversation with more messages than this is compacted.", "nothing"),
    compactionMinTokens: setting("COMPACTION_MIN_TOKENS", Format.integerBetween(0, 100_000_000), "0")
      .describe("A conversation with fewer tokens is not compacted for its number of messages alone.", "nothing"),
    summaryModel: optional("SUMMARY_MODEL", Format.text)
      .describe(
        "Name of the model that writes summaries, as GET /api/models lists it. Unset: the one that works on the task.",
        "nothing"
      ),
    maxRecentMessages: setting("MAX_RECENT_MESSAGES", Format.integerBetween(1, 10_000), "8")
      .describe("Messages that compaction leaves as they are; at most COMPACTION_THRESHOLD.", "nothing"),
    limits: {
      soft: setting("AGENT_SOFT_ITERATIONS", iterations, `${parentLimits.soft}`)
        .describe("Soft iteration limit of a task; the agent is asked to finish.", "nothing"),
      hard: setting("AGENT_HARD_ITERATIONS", iterations, `${parentLimits.hard}`)
        .describe("Hard iteration limit of a task; it is completed with the results so far.", "nothing"),
      recursion: setting("AGENT_RECURSION_LIMIT", iterations, `${parentLimits.recursion}`)
        .describe("Model and tool steps after which a task fails.", "nothing")
    },
    maxIterations: setting("AGENT_MAX_ITERATIONS", iterations, `${defaultMaxIterations}`)
      .describe("Largest hard iteration limit that a task or an agent may ask for (max_iterations).", "nothing"),
    stepTimeout: setting("AGENT_STEP_TIMEOUT", Format.secondsBetween(1, 86_400), "300")
      .describe("Seconds until a step of a task times out."),
    subagentStepTimeout: setting("SUBAGENT_STEP_TIMEOUT", Format.secondsBetween(1, 86_400), "600")
      .describe("Seconds until a step of a subtask times out.")
  }
}

export const agents = {
  agents: {
    path: optional("AGENTS_PATH", Format.path)
      .describe("Folder of your own agents; one named as a built-in agent replaces it. Unset: {DATA_DIR}/agents."),
    refreshInterval: setting("AGENTS_REFRESH_INTERVAL", Format.secondsBetween(1, 86_400), "60")
      .describe("Seconds between checks for agents that were added, changed or deleted.")
  }
}

export const skills = {
  skills: {
    path: optional("SKILLS_PATH", Format.path)
      .describe(
        "Folder of your own skills; one named as a built-in skill replaces it. Unset: {DATA_DIR}/skills."
      ),
    threshold: setting("AGENT_SKILL_THRESHOLD", Format.decimalBetween(0, 1), "0.35")
      .describe("Minimum similarity of a skill that is given to the agent."),
    max: setting("AGENT_MAX_SKILLS", Format.integerBetween(0, 20), "3")
      .describe("Maximum number of skills given to the agent for one task."),
    refreshInterval: setting("SKILLS_REFRESH_INTERVAL", Format.secondsBetween(1, 86_400), "60")
      .describe("Seconds between checks for skills that were added, changed or deleted."),
    intentPreprocessing: setting("ENABLE_INTENT_PREPROCESSING", Format.flag, "false")
      .describe("true: an additional model call lists the steps of a task, and only tools that suit them are offered."),
    scriptNetwork: setting("SKILL_SCRIPT_NETWORK", Format.flag, "false")
      .describe("true: scripts of skills may use the network. Only bubblewrap can prevent it."),
    allowUnconfinedScripts: setting("ALLOW_UNCONFINED_SCRIPTS", Format.flag, "false")
      .describe(
        "Hosted mode: true runs scripts of skills also where bubblewrap does not work; they can then read every member's files."
      )
  }
}

export const policy = {
  policy: {
    preset: optional("POLICY", Format.oneOf("quiet", "balanced", "strict"))
      .describe(
        "What tool calls may do where no rule decides: quiet asks for mail to strangers only; balanced also for what changes things "
          + "after something from outside was read, or destroys; strict for all that changes things. Unset: as saved, else balanced."
      ),
    file: optional("POLICY_FILE", Format.path)
      .describe("JSON file with {\"preset\", \"rules\", \"classes\"}, imported if no policy was ever saved.")
  }
}

export const memory = {
  memory: {
    autoSave: setting("MEMORY_AUTO_SAVE", Format.flag, "true")
      .describe("Whether the request and the result of each completed task are remembered."),
    inject: setting("MEMORY_INJECT", Format.oneOf("all", "trusted", "none"), "all")
      .describe(
        "Memories that enter the prompt of a new task: all; trusted: those of tasks that had seen nothing from outside; none."
      ),
    maxPerUser: setting("MEMORY_MAX_PER_USER", Format.integerBetween(1, 1_000_000), "50000")
      .describe("Maximum number of memories of a user; beyond it, those of the oldest tasks are deleted.", "nothing"),
    cacheBytes: setting("MEMORY_CACHE_MB", Format.megabytes(100_000), "384")
      .describe(
        "Maximum size of the cache of memory searches in MB (6 kB a memory of 1,536 dimensions); unused with pgvector."
      )
  }
}

export const toolServers = {
  toolServers: {
    configFile: optional("MCP_CONFIG_FILE", Format.path)
      .describe(
        "JSON file with tool servers, {\"mcpServers\": ...}, imported if none were ever configured. ${NAME} in it refers to a "
          + "variable of the environment."
      ),
    secretsKey: secret("SECRETS_KEY", Format.longText)
      .describe(
        "Encrypts stored secrets: the keys of models, the env and headers of tool servers, the secrets of subscriptions. Unset, "
          + "with the embedded database: the key in DATA_DIR/secrets.key, which is made. Unset, with DATABASE_URL: they are stored "
          + "as given, and keys of models are refused."
      ),
    connectTimeout: setting("MCP_CONNECT_TIMEOUT", Format.secondsBetween(1, 3600), "60")
      .describe("Seconds a tool server has to start and to list its tools."),
    callTimeout: setting("MCP_CALL_TIMEOUT", Format.secondsBetween(1, maxCallSeconds), "60")
      .describe("Seconds until a call of a tool server's tool times out, unless its timeout_seconds is set."),
    acceptChanged: setting("ACCEPT_CHANGED_TOOLS", Format.flag, "false")
      .describe(
        "true: new and changed tools of a known server are in use at once. false: they are off until an admin accepts them."
      ),
    allowStdio: setting("ALLOW_STDIO_TOOL_SERVERS", Format.flag, "false")
      .describe("Hosted mode: true lets owner and admins configure tool servers that run as programs on this machine.")
  }
}
