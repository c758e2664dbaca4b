import { assert, it } from "@effect/vitest"
import { launchdFile, systemdUnit } from "@troupe/cli/ServiceCommands"

const unit = {
  role: "worker",
  words: ["/usr/bin/node", "--expose-gc", "/opt/my $apps/100%/dist/service/main.js", "worker"],
  folder: "/srv/my troupe/100%",
  user: "troupe",
  path: "/usr/local/bin:/usr/bin"
}

it("A unit of systemd starts the role in its folder, and quotes what systemd would replace", () => {
  const lines = systemdUnit(unit).split("\n")
  assert.includeMembers(lines, [
    "User=troupe",
    "WorkingDirectory=/srv/my troupe/100%%",
    "Environment=PATH=/usr/local/bin:/usr/bin",
    "ExecStart=/usr/bin/node --expose-gc \"/opt/my $$apps/100%%/dist/service/main.js\" worker",
    "KillMode=mixed",
    "TimeoutStopSec=30"
  ])
  assert.include(lines[0], "/etc/systemd/system/troupe-worker.service")
})

it("A file of launchd starts the role in its folder, whatever characters a path has", () => {
  const text = launchdFile({ ...unit, role: "all", folder: "/srv/a & <b>" })
  assert.include(text, "<key>Label</key><string>local.troupe</string>")
  assert.include(text, "<key>WorkingDirectory</key><string>/srv/a &amp; &lt;b&gt;</string>")
  assert.include(text, "    <string>/opt/my $apps/100%/dist/service/main.js</string>")
})
