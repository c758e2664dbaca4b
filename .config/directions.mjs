import { dirname, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"

/**
 * Which folder may import which: the one table that the linter and the picture in CONTRIBUTING are made from. A folder
 * imports from the rows below its own, and from its neighbours in a row; `.` is the files beside the folders.
 */
export const directions = {
  "src": [
    ["."],
    ["apps"],
    ["Doctor"],
    ["Http"],
    ["Backup"],
    ["Intake"],
    ["Mcp"],
    ["Task"],
    ["Agent"],
    ["Policy"],
    ["Tool"],
    ["ToolServer", "Skill", "Memory", "File"],
    ["Delivery"],
    ["People"],
    ["Chat", "Wire", "Model"],
    ["Queue"],
    ["Runtime"]
  ],
  "src/Task": [
    ["."],
    ["Bulk"],
    ["UseCase"],
    ["Spending"],
    ["Read"],
    ["Command"],
    ["Events"],
    ["Actor"],
    ["Claim"],
    ["Journal"],
    ["Row"]
  ],
  "src/Chat": [["Slack"], ["."]],
  "src/People": [["."], ["SignIn", "Channel"], ["Team"], ["User"]],
  "packages/console/src": [["."], ["app"], ["screens"], ["parts"], ["service"]]
}

const root = fileURLToPath(new URL("..", import.meta.url))

/** The row and the name of the folder of `rows` in which a file lies. */
const placeIn = (rows, path) => {
  const name = path.includes("/") ? path.slice(0, path.indexOf("/")) : "."
  return { name, row: rows.findIndex((folders) => folders.includes(name)) }
}

/** Why a file may not import the other, or undefined. Both are paths from the root of the repository. */
export const refusal = (importer, imported) => {
  for (const [folder, rows] of Object.entries(directions)) {
    if (!importer.startsWith(`${folder}/`) || !imported.startsWith(`${folder}/`)) continue
    const [from, to] = [importer, imported].map((path) => placeIn(rows, path.slice(folder.length + 1)))
    for (const { name, row } of [from, to]) {
      if (row === -1) return `${folder}/${name} has no place in the table of .config/directions.mjs: give it a row.`
    }
    if (from.name !== to.name && to.row < from.row) {
      return `${folder}: ${from.name} may not import ${to.name}, which is above it (CONTRIBUTING.md, Direction).`
    }
  }
}

/** The rows as they stand in CONTRIBUTING, the topmost first. */
export const picture = Object.entries(directions).map(([folder, rows]) =>
  `${folder}\n${rows.filter(([first]) => first !== ".").map((folders) => `  ${folders.join("   ")}`).join("\n")}`
).join("\n\n")

const check = (context) => (node) => {
  const target = node.source?.value ?? node.argument?.literal?.value ?? node.argument?.value
  if (typeof target !== "string" || !target.startsWith(".")) return
  const message = refusal(relative(root, context.filename), relative(root, resolve(dirname(context.filename), target)))
  if (message !== undefined) context.report({ node, message })
}

/** A plugin of the linter with one rule, which also holds for types and for `import()`. */
export default {
  meta: { name: "troupe" },
  rules: {
    directions: {
      create: (context) => {
        const checked = check(context)
        return {
          ImportDeclaration: checked,
          ImportExpression: checked,
          TSImportType: checked,
          ExportNamedDeclaration: checked,
          ExportAllDeclaration: checked
        }
      }
    }
  }
}
