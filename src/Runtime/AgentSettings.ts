import { maxCallSeconds } from "@troupe/domain/ToolServer"
import { defaulted, optional, secret } from "./Setting.ts"
import * as Kind from "./SettingKind.ts"

/** The settings of agents: their model, their limits and what they work with. */

export const model = {
  useGemini: defaulted(Kind.flag, {
    name: "USE_GEMINI",
    default: "false",
    description: "true: Google's models answer. Comes before USE_LOCAL_MODEL and OpenAI."
  }),
  geminiApiKey: secret(Kind.text, { name: "GEMINI_API_KEY", description: "Key for Google's models." }),
  geminiBaseUrl: defaulted(Kind.modelBaseUrl, {
    name: "GEMINI_BASE_URL",
    default: "https://generativelanguage.googleapis.com/v1beta/openai",
    description: "Google's OpenAI-compatible endpoint."
  }),
  geminiModel: defaulted(Kind.text, {
    name: "GEMINI_MODEL",
    default: "gemini-2.5-flash",
    description: "Google's model that works on the tasks."
  }),
  geminiEmbeddingModel: defaulted(Kind.text, {
    name: "GEMINI_EMBEDDING_MODEL",
    default: "gemini-embedding-001",
    description: "Google's model for embeddings."
  }),
  useLocalModel: defaulted(Kind.flag, {
    name: "USE_LOCAL_MODEL",
    default: "false",
    description: "true: a server of your own answers (Ollama, vLLM, llama.cpp). Comes before OpenAI."
  }),
  localUrl: optional(Kind.modelBaseUrl, {
    name: "LOCAL_MODEL_URL",
    description: "Its address, up to /v1. A bare host gets /v1 added."
  }),
  localModel: defaulted(Kind.text, {
    name: "LOCAL_MODEL",
    default: "qwen3:8b",
    description: "The local model that works on the tasks."
  }),
  localEmbeddingModel: defaulted(Kind.text, {
    name: "LOCAL_EMBEDDING_MODEL",
    default: "nomic-embed-text",
    description: "The local model for embeddings."
  }),
  openAiApiKey: secret(Kind.text, {
    name: "OPENAI_API_KEY",
    description: "Key for OpenAI. With no provider configured, the embedded offline model answers."
  }),
  openAiBaseUrl: optional(Kind.modelBaseUrl, {
    name: "OPENAI_BASE_URL",
    description: "Unset: https://api.openai.com/v1. Set, it is used even without a key (a compatible server)."
  }),
  openAiModel: defaulted(Kind.text, {
    name: "OPENAI_MODEL",
    default: "gpt-5.1",
    description: "OpenAI's model that works on the tasks."
  }),
  openAiEmbeddingModel: defaulted(Kind.text, {
    name: "OPENAI_EMBEDDING_MODEL",
    default: "text-embedding-3-small",
    description: "OpenAI's model for embeddings."
  }),
  contextTokens: optional(Kind.integerBetween(1000, 100_000_000), {
    name: "MODEL_CONTEXT_TOKENS",
    description:
      "Tokens the model can read at once. Unset: 1000000 for Google, 128000 for OpenAI, 32768 for a local model."
  }),
  temperature: optional(Kind.decimalBetween(0, 2), {
    name: "MODEL_TEMPERATURE",
    description: "Sampling temperature. Unset: 1 for Google and OpenAI, 0 for a local model."
  }),
  maxRetries: defaulted(Kind.integerBetween(0, 20), {
    name: "MODEL_MAX_RETRIES",
    default: "4",
    description: "How often a model call is repeated after 429, 5xx or a time-out."
  }),
  requestTimeout: defaulted(Kind.secondsBetween(1, 3600), {
    name: "MODEL_REQUEST_TIMEOUT",
    default: "120",
    description: "Seconds a model call may take."
  }),
  vision: defaulted(Kind.oneOf("auto", "true", "false"), {
    name: "MODEL_VISION",
    default: "auto",
    description: "Whether the model is shown pictures. auto: if its name is that of one known to see them."
  })
}

export const agent = {
  specialization: defaulted(Kind.text, {
    name: "SPECIALIZATION",
    default: "general assistant",
    description: "What the agent is, in a few words of its system prompt."
  }),
  additionalInstructions: optional(Kind.text, {
    name: "ADDITIONAL_INSTRUCTIONS",
    description: "Instructions added to every system prompt."
  }),
  maxParallelToolCalls: defaulted(Kind.integerBetween(1, 100), {
    name: "MAX_PARALLEL_TOOL_CALLS",
    default: "5",
    description: "Tool calls carried out in one turn; those beyond are answered as skipped."
  }),
  compactionThreshold: defaulted(Kind.integerBetween(2, 10_000), {
    name: "COMPACTION_THRESHOLD",
    default: "12",
    description: "A conversation with more messages than this is compacted."
  }),
  maxRecentMessages: defaulted(Kind.integerBetween(1, 10_000), {
    name: "MAX_RECENT_MESSAGES",
    default: "8",
    description: "Messages that compaction leaves as they are; at most COMPACTION_THRESHOLD."
  }),
  contextShare: defaulted(Kind.decimalBetween(0.1, 1), {
    name: "COMPACTION_CONTEXT_SHARE",
    default: "0.75",
    description: "Share of MODEL_CONTEXT_TOKENS above which a conversation is compacted, however few its messages."
  }),
  softIterations: defaulted(Kind.integerBetween(1, 10_000), {
    name: "AGENT_SOFT_ITERATIONS",
    default: "8",
    description: "Iterations of a task after which the agent is told to wrap up."
  }),
  hardIterations: defaulted(Kind.integerBetween(1, 10_000), {
    name: "AGENT_HARD_ITERATIONS",
    default: "10",
    description: "Iterations after which a task is completed with what it has."
  }),
  recursionLimit: defaulted(Kind.integerBetween(1, 10_000), {
    name: "AGENT_RECURSION_LIMIT",
    default: "25",
    description: "Model and tool steps after which a task fails."
  }),
  subagentSoftIterations: defaulted(Kind.integerBetween(1, 10_000), {
    name: "SUBAGENT_SOFT_ITERATIONS",
    default: "12",
    description: "The same of a subtask: told to wrap up."
  }),
  subagentHardIterations: defaulted(Kind.integerBetween(1, 10_000), {
    name: "SUBAGENT_HARD_ITERATIONS",
    default: "15",
    description: "The same of a subtask: completed with what it has."
  }),
  subagentRecursionLimit: defaulted(Kind.integerBetween(1, 10_000), {
    name: "SUBAGENT_RECURSION_LIMIT",
    default: "35",
    description: "The same of a subtask: fails."
  }),
  stepTimeout: defaulted(Kind.secondsBetween(1, 86_400), {
    name: "AGENT_STEP_TIMEOUT",
    default: "300",
    description: "Seconds a step of a task may take."
  }),
  subagentStepTimeout: defaulted(Kind.secondsBetween(1, 86_400), {
    name: "SUBAGENT_STEP_TIMEOUT",
    default: "600",
    description: "Seconds a step of a subtask may take."
  })
}

export const skills = {
  path: optional(Kind.path, {
    name: "SKILLS_PATH",
    description: "Folder of your own skills; one named as a built-in skill replaces it. Unset: {DATA_DIR}/skills."
  }),
  threshold: defaulted(Kind.decimalBetween(0, 1), {
    name: "AGENT_SKILL_THRESHOLD",
    default: "0.35",
    description: "Similarity from which on a skill is given to the agent."
  }),
  max: defaulted(Kind.integerBetween(0, 20), {
    name: "AGENT_MAX_SKILLS",
    default: "3",
    description: "Most skills given to the agent for one task."
  }),
  refreshInterval: defaulted(Kind.secondsBetween(1, 86_400), {
    name: "SKILLS_REFRESH_INTERVAL",
    default: "60",
    description: "Seconds between looks for skills that were added, changed or removed."
  }),
  intentPreprocessing: defaulted(Kind.flag, {
    name: "ENABLE_INTENT_PREPROCESSING",
    default: "false",
    description: "true: one more model call lists the steps of a task, and only tools that suit them are offered."
  }),
  scriptNetwork: defaulted(Kind.flag, {
    name: "SKILL_SCRIPT_NETWORK",
    default: "false",
    description: "true: scripts of skills reach the network. Only bubblewrap can keep them from it."
  })
}

export const memory = {
  autoSave: defaulted(Kind.flag, {
    name: "MEMORY_AUTO_SAVE",
    default: "true",
    description: "Whether what was asked and how it ended is remembered of each completed task."
  }),
  maxPerUser: defaulted(Kind.integerBetween(1, 1_000_000), {
    name: "MEMORY_MAX_PER_USER",
    default: "50000",
    description: "Most memories kept for a user; beyond, those of the oldest tasks go."
  }),
  cache: defaulted(Kind.megabytes(100_000), {
    name: "MEMORY_CACHE_MB",
    default: "384",
    description: "Most MB that searches keep of memories (2 kB of each, at 1,536 dimensions); unused with pgvector."
  })
}

export const mail = {
  smtpHost: optional(Kind.host, {
    name: "SMTP_HOST",
    description: "The server that sends mail. Unset: no mail is sent."
  }),
  smtpPort: optional(Kind.port, {
    name: "SMTP_PORT",
    description: "Its port. Unset: 465 with SMTP_SECURE=true, 587 with starttls, 25 with false."
  }),
  smtpSecure: defaulted(Kind.oneOf("starttls", "true", "false"), {
    name: "SMTP_SECURE",
    default: "starttls",
    description: "true: TLS from the start. starttls: turned to TLS before anything is said. false: never encrypted."
  }),
  smtpUser: optional(Kind.text, { name: "SMTP_USER", description: "Name to sign in with. Unset: no sign-in." }),
  smtpPassword: secret(Kind.text, { name: "SMTP_PASSWORD", description: "Password to sign in with." }),
  smtpFrom: optional(Kind.mailbox, { name: "SMTP_FROM", description: "Whom our mail is from." })
}

export const toolServers = {
  configFile: optional(Kind.path, {
    name: "MCP_CONFIG_FILE",
    description: "JSON file with tool servers, {\"mcpServers\": ...}, taken over while none were ever configured."
  }),
  secretsKey: secret(Kind.longText, {
    name: "SECRETS_KEY",
    description: "Encrypts the env and headers of tool servers in the database. Unset: they are kept as given."
  }),
  connectTimeout: defaulted(Kind.secondsBetween(1, 3600), {
    name: "MCP_CONNECT_TIMEOUT",
    default: "60",
    description: "Seconds a tool server has to start and to list its tools."
  }),
  callTimeout: defaulted(Kind.secondsBetween(1, maxCallSeconds), {
    name: "MCP_CALL_TIMEOUT",
    default: "60",
    description: "Seconds a call of a tool server's tool may take, where its timeout_seconds doesn't say otherwise."
  }),
  acceptChanged: defaulted(Kind.flag, {
    name: "ACCEPT_CHANGED_TOOLS",
    default: "false",
    description: "true: tools whose definition changed stay in use. false: they are off until an admin accepts them."
  }),
  allowStdio: defaulted(Kind.flag, {
    name: "ALLOW_STDIO_TOOL_SERVERS",
    default: "false",
    description: "Hosted mode: true lets owner and admins configure tool servers that run as programs here."
  })
}

/** The catalogue as a reader sees it. */
