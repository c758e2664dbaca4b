import tailwindcss from "@tailwindcss/vite"
import react from "@vitejs/plugin-react"
import icons from "unplugin-icons/vite"
import { defineConfig, type Plugin } from "vite"

/** Sonner writes its styles into the page, which the security policy forbids; `styles.css` imports them as a file. */
const sonnerWithoutStyles: Plugin = {
  name: "sonner-without-styles",
  transform(code, id) {
    if (!/sonner\/dist\/index\.mjs/.test(id)) return null
    const changed = code.replace(/^__insertCSS\(.*$/m, "")
    if (changed === code) this.error("sonner no longer inserts its styles in the way that this plugin removes")
    return { code: changed, map: null }
  }
}

/** Makes a component of each icon that is imported from `~icons`, with the size that icons of Lucide have. */
const iconsOfLucide = icons({
  compiler: {
    extension: "js",
    compiler: (svg) => {
      const content = JSON.stringify(svg.replace(/^<svg[^>]*>|<\/svg>$/g, ""))
      return `import { jsx } from "react/jsx-runtime"
const content = { __html: ${content} }
export default (props) =>
  jsx("svg", { width: 24, height: 24, viewBox: "0 0 24 24", ...props, dangerouslySetInnerHTML: content })`
    }
  }
})

export default defineConfig({
  // Relative, because a proxy may serve the console under another path.
  base: "./",
  plugins: [react(), tailwindcss(), iconsOfLucide, sonnerWithoutStyles],
  resolve: { conditions: ["@troupe/source", "module", "browser", "development|production"] },
  build: {
    target: ["chrome123", "firefox121", "safari17.5"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Icons and parts that screens share are in one file: each would be a request of its own.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [{ name: "shared", test: /~icons|src[\\/](?:parts|service)[\\/]/, minShareCount: 2 }]
        }
      }
    }
  },
  server: { proxy: { "^/(?!console)": process.env["TROUPE_URL"] ?? "http://127.0.0.1:8000" } }
})
