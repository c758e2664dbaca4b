// Whether the role in this container responds: `healthcheck.cjs [port [path]]`.
"use strict"
const [port = process.env.PORT || "8000", path = "/health"] = process.argv.slice(2)
fetch(`http://127.0.0.1:${port}${path}`).then(
  ({ status }) => process.exit(status < 500 ? 0 : 1),
  () => process.exit(1)
)
