import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Config, Effect } from "effect"
import { userInfo } from "node:os"
import { join } from "node:path"
import { execPath, platform } from "node:process"
import { needed, nodeOptions, serviceOption } from "./Installation.ts"
import { Screen } from "./Screen.ts"

interface Unit {
  readonly role: string
  readonly words: ReadonlyArray<string>
  readonly folder: string
  readonly user: string
  readonly path: string
}

/** In quotes; `%` and `$` would be replaced otherwise. */
const systemdWord = (text: string): string => {
  const escaped = text.replaceAll("%", "%%").replaceAll("$", "$$$$")
  return /^[\w./:@=%$-]+$/.test(escaped) ? escaped : `"${escaped.replace(/["\\]/g, "\\$&")}"`
}

/** Paths are taken to the end of the line, without quotes. */
const systemdPath = (text: string): string => text.replaceAll("%", "%%")

/** A unit of systemd. */
export const systemdUnit = ({ folder, path, role, user, words }: Unit): string =>
  `# /etc/systemd/system/troupe${role === "all" ? "" : `-${role}`}.service, then: systemctl daemon-reload
[Unit]
Description=Troupe${role === "all" ? "" : ` (${role})`}
Wants=network-online.target
After=network-online.target postgresql.service

[Service]
User=${user}
WorkingDirectory=${systemdPath(folder)}
Environment=${systemdWord(`PATH=${path}`)}
ExecStart=${words.map(systemdWord).join(" ")}
Restart=always
RestartSec=2
# SIGTERM goes to the service only, which ends its database and tool servers itself.
KillMode=mixed
# Must be longer than SHUTDOWN_GRACE_SECONDS + DRAIN_SECONDS + 5.
TimeoutStopSec=30
LimitNOFILE=65536
UMask=0077

[Install]
WantedBy=multi-user.target
`

const xml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** A file of launchd. */
export const launchdFile = ({ folder, path, role, words }: Unit): string => {
  const label = `local.troupe${role === "all" ? "" : `.${role}`}`
  const log = xml(join(folder, `${label}.log`))
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ~/Library/LaunchAgents/${label}.plist, then: launchctl bootstrap gui/$UID ~/Library/LaunchAgents/${label}.plist -->
<plist version="1.0">
<dict>
  <key>Label</key><string>${label}</string>
  <key>ProgramArguments</key>
  <array>
${words.map((word) => `    <string>${xml(word)}</string>`).join("\n")}
  </array>
  <key>WorkingDirectory</key><string>${xml(folder)}</string>
  <key>EnvironmentVariables</key><dict><key>PATH</key><string>${xml(path)}</string></dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><true/>
  <!-- Must be longer than SHUTDOWN_GRACE_SECONDS + DRAIN_SECONDS + 5. -->
  <key>ExitTimeOut</key><integer>30</integer>
  <key>Umask</key><integer>63</integer>
  <key>StandardOutPath</key><string>${log}</string>
  <key>StandardErrorPath</key><string>${log}</string>
</dict>
</plist>
`
}

const print = Command.make(
  "print",
  {
    systemd: Options.boolean("systemd").pipe(Options.withDescription("A unit of systemd; the default on Linux")),
    launchd: Options.boolean("launchd").pipe(Options.withDescription("A file of launchd; the default on macOS")),
    role: Options.choice("role", ["all", "api", "worker", "ingestor", "chat-handler"]).pipe(
      Options.withDefault("all"),
      Options.withDescription("The role of the process; default: all, everything in one process")
    ),
    service: serviceOption
  },
  ({ launchd, role, service, systemd }) =>
    Effect.gen(function*() {
      const { write } = yield* Screen
      const { folder, program } = yield* needed(service, "main.js")
      const unit = {
        role,
        folder,
        words: [execPath, ...nodeOptions, program, ...(role === "all" ? [] : [role])],
        user: yield* Effect.sync(() => userInfo().username),
        path: yield* Effect.orElseSucceed(Config.string("PATH"), () => "/usr/local/bin:/usr/bin:/bin")
      }
      yield* write(launchd || (platform === "darwin" && !systemd) ? launchdFile(unit) : systemdUnit(unit))
    })
).pipe(Command.withDescription("Prints what makes this machine start the service, for systemd or launchd"))

export const serviceFiles = Command.make("service").pipe(
  Command.withDescription("Prints what makes this machine start the service"),
  Command.withSubcommands([print])
)
